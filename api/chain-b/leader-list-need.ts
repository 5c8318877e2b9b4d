import type { ChainBQueries } from '../../projections/chain-b/queries/chain-b-queries.ts'
import type { Cut } from '../../projections/cuts.ts'
import type { Need } from '../route.ts'
import { chainBCut } from './source.ts'

export const noListYet =
  'there is no list of leaders yet. The service builds the first one at a whole minute, after it has caught up with the log. Try again in a minute'

/**
 * The condition of the routes that use the list of leaders: the service had built at least one list at the
 * time of the requested data (`cut`).
 */
export const leaderListNeed = ({ leaderList }: Pick<ChainBQueries, 'leaderList'>): Need => ({
  name: 'list of leaders',
  refusal: noListYet,
  isMet: async (cut) => (await leaderList(chainBCut(cut))) !== null,
})

/**
 * Returns the time up to which the newest list of leaders includes all trades. Routes that use the list pass
 * this function as `coveredUntil`.
 */
export const listCoveredUntil =
  ({ leaderList }: Pick<ChainBQueries, 'leaderList'>) =>
  async (cut: Cut): Promise<number | null> =>
    (await leaderList(chainBCut(cut)))?.rebuiltAtMs ?? null
