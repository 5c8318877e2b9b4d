/** Which wallets can be asked about: those with a followed buy in the window of the list in force. */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { leaderRules } from '../../../schemas/chain-b/copy-rules.ts'
import { createTracked, identifiersIn } from '../../tracked.ts'
import { chainBCopies } from '../tables/chain-b-copies.ts'
import type { ChainBViews } from './chain-b-views.ts'
import type { LeaderListInForce } from './leader-list.ts'

/** Answers are as of the list, so what is tracked is too: it is extended once an hour, not at each cut. */
export function createChainBTracked(database: Database, leaderList: LeaderListInForce): ChainBViews['tracked'] {
  const bought = { fromColumn: 'at_ms', ms: leaderRules.windowMs } as const
  const wallets = createTracked(database, [identifiersIn(chainBCopies, 'wallet', bought)])
  return {
    wallets: {
      async mayHold(wallet, cut) {
        const list = await leaderList(cut)
        if (list === null) return false
        return wallets.mayHold(wallet, { ...cut, atMs: list.rebuiltAtMs, blockAtMs: list.blockAtMs })
      },
    },
  }
}
