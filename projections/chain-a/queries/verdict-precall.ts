/** Selects the trades before the newest call of a token of chain A. */
import type { Database } from '../../../infra/clickhouse/database.ts'
import type { PrecallFlag } from '../../../schemas/calls/derived.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { atCut } from '../../at-cut.ts'
import { precallTablesOf } from '../../calls/tables.ts'
import type { StageCut } from '../../cuts.ts'
import { detailsOf, rowOf, type Selected, selectOf } from '../../select.ts'
import type { VerdictPrecallRow } from './chain-a-queries.ts'
import { since } from './pools.ts'
import { ethOfWei } from './units.ts'

const { Precall, PrecallBuyers } = precallTablesOf(chainAStage.name)

/** The precall of the newest call of the last 48 h. Null: the token was not called, or block time has not passed the post. */
export async function selectVerdictPrecall(
  database: Database,
  cut: StageCut,
  token: string,
): Promise<VerdictPrecallRow | null> {
  const conditions = { token: { sql: '= {token:String}' }, posted_at_ms: since(cut, callRules.watchMs) }
  const [selected] = await database.query<Selected>(
    `SELECT ${selectOf(Precall, 'p')}, ${selectOf(PrecallBuyers, 'w')}
     FROM ${atCut(Precall, cut.atMs, conditions)} AS p
     LEFT JOIN ${atCut(PrecallBuyers, cut.atMs, conditions)} AS w
       ON w.token = p.token AND w.posted_at_ms = p.posted_at_ms
     ORDER BY p.posted_at_ms DESC LIMIT 1`,
    { token },
  )
  if (!selected) return null
  const { postedAtMs, isTracked, buys, buyWei, run60, ageAtCallMs, flags } = rowOf(Precall, 'p', selected)
  const isEarly = cut.blockAtMs < postedAtMs + callRules.buyersAfterMs
  const buyers = isEarly ? null : detailsOf(PrecallBuyers, 'w', selected)
  return {
    ...{ postedAtMs, isTracked, buys, buyEth: ethOfWei(buyWei), run60, ageAtCallMs },
    ...{ wallets: buyers?.wallets ?? null, sameBlockWallets: buyers?.sameBlockWallets ?? null },
    flags: (buyers?.flags ?? flags) as readonly PrecallFlag[],
  }
}
