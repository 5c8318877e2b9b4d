/** Which wallets and mints can be asked about: whatever the queries of the two routes read. */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { leaderRules } from '../../../schemas/chain-b/copy-rules.ts'
import { chainBCalls } from '../../calls/tables/calls.ts'
import { chainBScannerGrades } from '../../calls/tables/scanner-grades.ts'
import { createTracked, identifiersIn } from '../../tracked.ts'
import { chainBBursts } from '../tables/chain-b-bursts.ts'
import { chainBCopies } from '../tables/chain-b-copies.ts'
import { chainBDesk } from '../tables/chain-b-desk.ts'
import { chainBSafety } from '../tables/chain-b-safety.ts'
import type { ChainBViews } from './chain-b-views.ts'
import type { LeaderListInForce } from './leader-list.ts'

const ms = callRules.watchMs

const createMints = (database: Database) =>
  createTracked(database, [
    identifiersIn(chainBBursts, 'mint', { fromColumn: 'at_ms', ms }),
    identifiersIn(chainBSafety, 'mint', { fromColumn: 'checked_at_ms', ms }),
    identifiersIn(chainBCalls, 'token', { fromColumn: 'called_at_ms', ms }),
    identifiersIn(chainBScannerGrades, 'token', { fromColumn: 'last_card_at_ms', ms }),
    identifiersIn(chainBDesk.trades, 'token', { fromColumn: 'closed_at_ms', ms }),
    identifiersIn(chainBDesk.shadows, 'token', { fromColumn: 'signal_at_ms', ms }),
  ])

/** Answers about wallets are as of the list of leaders in force, so they are extended once an hour, not at each cut. */
export function createChainBTracked(database: Database, leaderList: LeaderListInForce): ChainBViews['tracked'] {
  const bought = { fromColumn: 'at_ms', ms: leaderRules.windowMs } as const
  const wallets = createTracked(database, [identifiersIn(chainBCopies, 'wallet', bought)])
  return {
    wallets: {
      async mayHold(wallet, cut) {
        const list = await leaderList(cut)
        if (list === null) return false
        return wallets.mayHold(wallet, { ...cut, atMs: list.knownAtMs, blockAtMs: list.rebuiltAtMs })
      },
    },
    mints: createMints(database),
  }
}
