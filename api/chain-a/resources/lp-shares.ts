/**
 * The fields that show how a pool's liquidity is divided between the kinds of holders. Bursts and rug
 * profiles have these fields.
 */
import type { LpRow } from '../../../projections/chain-a/queries/chain-a-queries.ts'
import { type Availability, fieldsOf } from '../../resource.ts'
import { share } from '../../values.ts'

type Shares = Pick<LpRow, 'insiderShare' | 'burnedShare' | 'contractShare' | 'otherShare' | 'unknownShare'>

export function lpShareFields(availability: Availability) {
  const field = fieldsOf<Shares>().field(availability)
  return {
    insiderShare: field(
      share,
      'Share of L still held by the creator or a wallet that sent an add; 0.5 or more is the sign of a rug.',
      (row) => row.insiderShare,
    ),
    burnedShare: field(share, 'Share sent to the zero or the dead address.', (row) => row.burnedShare),
    contractShare: field(
      share,
      'Share added by a contract that is not the position manager.',
      (row) => row.contractShare,
    ),
    otherShare: field(
      share,
      'Share held by any other wallet; lockers of position NFTs count here.',
      (row) => row.otherShare,
    ),
    unknownShare: field(share, 'Share whose owner could not be established.', (row) => row.unknownShare),
  }
}
