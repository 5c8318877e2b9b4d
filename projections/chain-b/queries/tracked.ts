/**
 * Decides whether a wallet or mint that a request names may have data. It remembers the addresses of all
 * known wallets and mints. They come from the columns that the queries about a wallet or a mint read.
 */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { leaderRules } from '../../../schemas/chain-b/copy-rules.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { callTablesOf } from '../../calls/tables.ts'
import type { StageCut } from '../../cuts.ts'
import { deskTablesOf } from '../../desk/tables.ts'
import { createTracked, identifiersIn } from '../../tracked.ts'
import { chainBBursts } from '../tables/chain-b-bursts.ts'
import { chainBCopies } from '../tables/chain-b-copies.ts'
import { chainBSafety } from '../tables/chain-b-safety.ts'
import type { ChainBQueries } from './chain-b-queries.ts'
import type { LeaderListInForce } from './leader-list.ts'

const ms = callRules.watchMs
const { Call, ScannerGrade } = callTablesOf(chainBStage.name)
const { DeskTrade, DeskShadow } = deskTablesOf(chainBStage.name)

const createMints = (database: Database) =>
  createTracked(database, [
    identifiersIn(chainBBursts, 'mint', { fromColumn: 'at_ms', ms }),
    identifiersIn(chainBSafety, 'mint', { fromColumn: 'checked_at_ms', ms }),
    identifiersIn(Call, 'token', { fromColumn: 'called_at_ms', ms }),
    identifiersIn(ScannerGrade, 'token', { fromColumn: 'last_card_at_ms', ms }),
    identifiersIn(DeskTrade, 'token', { fromColumn: 'closed_at_ms', ms }),
    identifiersIn(DeskShadow, 'token', { fromColumn: 'signal_at_ms', ms }),
  ])

/**
 * Creates the checks of wallets and mints. Answers about wallets depend on the valid list of leaders. So new
 * wallets are added to the known wallets only every hour, not at each cut.
 */
export function createChainBTracked(database: Database, leaderList: LeaderListInForce): ChainBQueries['tracked'] {
  const bought = { fromColumn: 'at_ms', ms: leaderRules.windowMs } as const
  const wallets = createTracked(database, [identifiersIn(chainBCopies, 'wallet', bought)])
  const cutOfList = async (cut: StageCut): Promise<StageCut | null> => {
    const list = await leaderList(cut)
    return list && { ...cut, atMs: list.knownAtMs, blockAtMs: list.rebuiltAtMs }
  }
  return {
    wallets: {
      async mayHold(wallet, cut) {
        const ofList = await cutOfList(cut)
        return ofList !== null && wallets.mayHold(wallet, ofList)
      },
      async example(cut) {
        const ofList = await cutOfList(cut)
        return ofList && wallets.example(ofList)
      },
    },
    mints: createMints(database),
  }
}
