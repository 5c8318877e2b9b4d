/**
 * Collects the data about a token of chain A from all tables. The verdict about the token is made from this
 * data.
 */

import type { Database } from '../../../infra/clickhouse/database.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { chainADesk } from '../../../schemas/chain-a/desk.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { dayMs } from '../../../schemas/units.ts'
import { atCut, keysWhere } from '../../at-cut.ts'
import { precallTablesOf } from '../../calls/tables.ts'
import type { StageCut } from '../../cuts.ts'
import { type DeskQueries, deskProbes, selectTokenDesk } from '../../desk/queries/desk.ts'
import { deskTablesOf } from '../../desk/tables.ts'
import { selectSeen } from '../../rows-at-cut.ts'
import { selectOne } from '../../select-one.ts'
import { burstOutcomes } from '../tables/burst-outcomes.ts'
import { bursts } from '../tables/bursts.ts'
import type { VerdictRow } from './chain-a-queries.ts'
import { since } from './pools.ts'
import { selectTokenRecords } from './rug-check.ts'
import { selectVerdictPrecall } from './verdict-precall.ts'

const isToken = '= {token:String}'
const { Precall } = precallTablesOf(chainAStage.name)
const deskSource = { tables: deskTablesOf(chainAStage.name), desk: chainADesk }

type Source = Readonly<{ database: Database; desk: DeskQueries }>

/**
 * Selects the data for the verdict about a token. Returns null in the same cases as `selectTokenRecords`.
 * `token` is text from outside.
 */
export async function selectVerdict(
  { database, desk: queries }: Source,
  cut: StageCut,
  token: string,
): Promise<VerdictRow | null> {
  const sinceMs = since(cut, callRules.watchMs).from
  const probes = {
    burst: { table: bursts, conditions: { at_ms: since(cut, dayMs), token: { sql: isToken } } },
    precall: { table: Precall, conditions: { token: { sql: isToken }, posted_at_ms: since(cut, callRules.watchMs) } },
    ...deskProbes(deskSource, { sinceMs, toMs: cut.blockAtMs, token: 'token' }),
  }
  const [records, seen] = await Promise.all([
    selectTokenRecords(database, cut, token),
    selectSeen(database, probes, { token }),
  ])
  if (records === null) return null
  const [isRugged, precall, desk] = await Promise.all([
    seen.has('burst') && wasRugged(database, cut, token),
    seen.has('precall') ? selectVerdictPrecall(database, cut, token) : null,
    selectTokenDesk(queries, cut, { token, sinceMs, seen }),
  ])
  const { ofPools, opened, curve, launchedAtMs } = records
  const births = [opened.firstAtMs, launchedAtMs].filter((atMs) => atMs !== null)
  return {
    ...{ token, classes: ofPools.classes, v4PoolCount: ofPools.v4PoolCount, v3PoolCount: opened.v3PoolCount, curve },
    ...{ insiderShare: ofPools.insiderShare, checkedAtMs: ofPools.checkedAtMs, isRugged },
    ...{ bornAtMs: births.length === 0 ? null : Math.min(...births), precall, ...desk },
  }
}

/** Returns whether the outcome of a burst of the token in the last 24 h has a rug (pulled liquidity). */
async function wasRugged(database: Database, cut: StageCut, token: string): Promise<boolean> {
  const conditions = { at_ms: keysWhere(bursts, 'at_ms', { column: 'token', sql: isToken, range: since(cut, dayMs) }) }
  const on = ['at_ms', 'pool', 'tier'].map((column) => `o.${column} = b.${column}`).join(' AND ')
  const row = await selectOne<{ count: string }>(
    database,
    `SELECT count() AS count FROM ${atCut(bursts, cut.atMs, conditions)} AS b
     INNER JOIN ${atCut(burstOutcomes, cut.atMs, conditions)} AS o ON ${on}
     WHERE b.token ${isToken} AND o.rug_at_sec IS NOT NULL`,
    { token },
  )
  return Number(row.count) > 0
}
