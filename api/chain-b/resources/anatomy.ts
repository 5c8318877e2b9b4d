/** The anatomy of a burst: the buyers in its window and the pattern of their buys. */
import type { AnatomyRow } from '../../../projections/chain-b/queries/chain-b-queries.ts'
import { fieldsOf } from '../../resource.ts'
import { count, share } from '../../values.ts'

const { seconds, resource } = fieldsOf<AnatomyRow>()

export const solAnatomy = resource('solAnatomy', {
  buys: seconds(count, 'Buys in the window.', (row) => row.buys),
  buyers: seconds(count, 'Distinct wallets that bought.', (row) => row.buyers),
  sameSlotMax: seconds(count, 'Most buys in one slot.', (row) => row.sameSlotMax),
  bundledShare: seconds(
    share,
    'Share of the SOL spent on buys that was spent in slots with two buys or more.',
    (row) => row.bundledShare,
  ),
  sameSizeMax: seconds(count, 'Most buys of one identical size.', (row) => row.sameSizeMax),
  top3Share: seconds(share, 'Share of the SOL spent in the three largest buys.', (row) => row.top3Share),
  holdersTop10: seconds(
    share.nullable(),
    'Share of the supply that the ten largest holders have, without the curve, its pool and burned tokens; null where it could not be read.',
    (row) => row.holdersTop10,
  ),
  holderTop1: seconds(share.nullable(), 'The same of the largest holder.', (row) => row.holderTop1),
  repeatBuyers: seconds(
    count.nullable(),
    'Of the buyers, those seen in earlier chain B bursts of the last 30 days; null while the buyers of earlier bursts are not known.',
    (row) => row.repeatBuyers,
  ),
})
