/** The results of copying one wallet. */
import { z } from 'zod'
import type { CopyStatsRow } from '../../../projections/chain-b/queries/chain-b-views.ts'
import { fieldsOf } from '../../resource.ts'
import { count, share } from '../../values.ts'
import { leaderSells } from './leader-sells.ts'

const { now, resource } = fieldsOf<CopyStatsRow['summary']>()

export const copySummary = resource('copySummary', {
  buys: now(count, 'Followed buys of the window; `buys` lists the newest 100.', (row) => row.buys),
  rank: now(z.int().min(1).nullable(), 'Place on the list of leaders in force; null off the list.', (row) => row.rank),
  n: now(count, 'Replayed big buys: the newest of the window, at most 60.', (row) => row.n),
  evShrunk: now(z.number(), 'Mean return per copy, shrunk as in the list of leaders.', (row) => row.evShrunk),
  evRaw: now(z.number().nullable(), 'Mean return per copy, each counted as +100% at most.', (row) => row.evRaw),
  winShare: now(share.nullable(), 'Share of the replays that ended above 0.', (row) => row.winShare),
  shadowed: now(count, 'Buys of the window that were followed for 60 minutes.', (row) => row.shadowed),
  shadowHit: now(share.nullable(), 'Share of those that reached +35% before -20%.', (row) => row.shadowHit),
  sells: now(
    leaderSells.schema.nullable(),
    'The wallet’s own sales; null if none of its buys has completed its hour.',
    (row) => leaderSells.present(row),
  ),
})
