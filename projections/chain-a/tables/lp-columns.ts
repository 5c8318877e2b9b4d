/**
 * The columns for the holders of a pool's liquidity. Each share is a part of `L`, the total liquidity of the
 * pool.
 */
import type { BurstLp } from '../../../schemas/chain-a/derived.ts'
import { type Columns, float64, int64, label, nullable, uint32 } from '../../columns.ts'

type Lp = Omit<BurstLp, 'pool' | 'tier' | 'atMs'>

export const lpColumns = {
  class: label(({ class: lpClass }) => lpClass),
  insider_share: float64(({ insiderShare }) => insiderShare),
  burned_share: float64(({ burnedShare }) => burnedShare),
  contract_share: float64(({ contractShare }) => contractShare),
  other_share: float64(({ otherShare }) => otherShare),
  unknown_share: float64(({ unknownShare }) => unknownShare),
  first_add_at_ms: nullable(int64)(({ firstAddAtMs }) => firstAddAtMs),
  lp_adds: uint32(({ lpAdds }) => lpAdds),
} satisfies Columns<Lp>
