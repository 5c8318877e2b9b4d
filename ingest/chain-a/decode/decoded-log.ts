import type { ChainAAddress } from '../../../schemas/chain-a/addresses.ts'
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import type { Address } from '../../../schemas/units.ts'
import type { SoughtCurve } from './sought-curve.ts'

/**
 * The result of decoding one EVM log.
 * - `ignored`: the log does not come from a followed pool or curve. Such a log may be malformed.
 * - `unknown`: an unknown address emitted a log like a curve.
 * - `found`: a fact to publish right before `fact`, at the same chain place.
 * - `sought`: a curve to look up at the node. After the lookup, the log is decoded again.
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
  | Readonly<{ kind: 'unknown'; sought: SoughtCurve }>
  | Readonly<{ kind: 'ignored' }>
  | Readonly<{ kind: 'rejected'; reason: string }>
