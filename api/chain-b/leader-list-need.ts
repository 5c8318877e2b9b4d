import type { ChainBQueries } from '../../projections/chain-b/queries/chain-b-queries.ts'
import type { Cut } from '../../projections/cuts.ts'
import type { Need } from '../route.ts'
import { chainBCut } from './source.ts'

export const noListYet =
  'there is no list of leaders yet: the first one is built at a whole minute, once the service has caught up; try again then'

/** The need of the routes that use the list of leaders: a list is in force at the cut. */
export const leaderListNeed = ({ leaderList }: Pick<ChainBQueries, 'leaderList'>): Need => ({
  name: 'list of leaders',
  refusal: noListYet,
  isMet: async (cut) => (await leaderList(chainBCut(cut))) !== null,
})

/** `toldUntil` of the routes that use the list of leaders: the instant up to which the list in force is complete. */
export const listToldUntil =
  ({ leaderList }: Pick<ChainBQueries, 'leaderList'>) =>
  async (cut: Cut): Promise<number | null> =>
    (await leaderList(chainBCut(cut)))?.rebuiltAtMs ?? null
