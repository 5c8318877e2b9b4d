/** Addresses that emit logs like curves of a launchpad, and the results of their lookups at the node. */
import type { CurveFound } from '../../../schemas/chain-a/facts.ts'
import type { Address, BlockHash, BlockNumber } from '../../../schemas/units.ts'
import type { Launchpad } from '../launchpads/launchpad.ts'

/**
 * An address that emits logs like a curve, and is therefore looked up at the node. The lookup reads the state
 * right before `blockNumber`. `launch` is null if the address book lacks the curve.
 */
export type SoughtCurve = Readonly<{
  curve: Address
  launchpad: Launchpad
  blockNumber: BlockNumber
  blockHash: BlockHash
  launch: Pick<CurveFound, 'launchBlock' | 'launchAtMs'> | null
}>

/** The result of looking up a curve at the node: the state right before `blockNumber`. */
export type FoundCurve = Readonly<{
  token: Address
  blockNumber: BlockNumber
  data: Omit<CurveFound, 'blockNumber' | 'blockAtMs' | 'txIndex' | 'logIndex' | 'blockHash' | 'txHash'>
}>

/**
 * The reason why a rejected address was looked up.
 * - `unknown`: the events of the address look like those of a curve, but its launch is not known.
 * - `launch`: the address was launched, but does not answer like the curves of its launchpad.
 */
export type RefusedAs = 'unknown' | 'launch'
