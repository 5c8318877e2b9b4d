import type { ChainAAddress } from '../../../schemas/chain-a/addresses.ts'
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import type { Address } from '../../../schemas/units.ts'
import type { SoughtCurve } from './sought-curve.ts'

/**
 * `ignored`: the log is not of a tracked pool or curve, well-formed or not. `found` is published just before the fact,
 * at the same place. `sought` is a curve to look up at the node; then the log is decoded again.
 */
export type DecodedLog =
  | Readonly<{
      kind: 'fact'
      fact: ChainAFact
      token: Address
      address: ChainAAddress | null
      found?: ChainAFact
      sought?: SoughtCurve
    }>
  | Readonly<{ kind: 'stranger'; sought: SoughtCurve }>
  | Readonly<{ kind: 'ignored' }>
  | Readonly<{ kind: 'rejected'; reason: string }>
