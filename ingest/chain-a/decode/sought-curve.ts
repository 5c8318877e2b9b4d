/** Addresses that log like curves of a launchpad, and the results of looking them up. */
import type { CurveFound } from '../../../schemas/chain-a/facts.ts'
import type { Address, BlockHash, BlockNumber } from '../../../schemas/units.ts'
import type { Launchpad } from '../launchpads/launchpad.ts'

/**
 * An address that logs like a curve, to be looked up as of the block before `blockNumber`. `launch` is null if the book
 * does not know the curve.
 */
export type SoughtCurve = Readonly<{
  curve: Address
  launchpad: Launchpad
  blockNumber: BlockNumber
  blockHash: BlockHash
  launch: Pick<CurveFound, 'launchBlock' | 'launchAtMs'> | null
}>

/** A curve as of the block before `blockNumber`. */
export type FoundCurve = Readonly<{
  token: Address
  blockNumber: BlockNumber
  data: Omit<CurveFound, 'blockNumber' | 'blockAtMs' | 'txIndex' | 'logIndex' | 'blockHash' | 'txHash'>
}>

/** How a refused address appeared: as a stranger that logs like a curve, or in a launch. */
export type RefusedAs = 'stranger' | 'launch'
