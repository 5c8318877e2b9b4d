/** A wallet on the list of leaders: copies of its buys did well. */
import { z } from 'zod'
import type { LeaderListRow } from '../../../projections/chain-b/queries/chain-b-views.ts'
import { fieldsOf } from '../../resource.ts'
import { count, epochMs, share } from '../../values.ts'
import { addressSchema } from './identifiers.ts'
import { leaderSells } from './leader-sells.ts'

type Ranked = LeaderListRow['leaders'][number] & Readonly<{ rank: number }>

const { now, resource } = fieldsOf<Ranked>()

export const walletLeader = resource('walletLeader', {
  rank: now(z.int().min(1), 'Place by evShrunk; ties by more replays, then by wallet.', (row) => row.rank),
  wallet: now(addressSchema, 'Address.', (row) => row.wallet),
  n: now(count, 'Replayed big buys: the newest of the window, at most 60.', (row) => row.n),
  evShrunk: now(
    z.number(),
    'Mean return per copy, shrunk: (n * evRaw + k * prior) / (n + k), with k and prior of `method`.',
    (row) => row.evShrunk,
  ),
  evRaw: now(z.number(), 'Mean return per copy, each counted as +100% at most.', (row) => row.evRaw),
  winShare: now(share, 'Share of the replays that ended above 0, fees included.', (row) => row.winShare),
  shadowed: now(count, 'Buys of the window that were followed for 60 minutes, of all sizes.', (row) => row.shadowed),
  shadowHit: now(share, 'Share of those that reached +35% before -20%.', (row) => row.shadowHit),
  gapBuys: now(
    count,
    'Shadowed buys with missing trades on the curve in the 60 minutes after them; they count like all others.',
    (row) => row.gapBuys,
  ),
  lastBuyAt: now(epochMs, 'Time of the newest buy that is followed.', (row) => row.lastBuyAtMs),
  sells: now(
    leaderSells.schema.nullable(),
    'The wallet’s own sales; null if none of its buys has completed its hour.',
    (row) => leaderSells.present(row),
  ),
})
