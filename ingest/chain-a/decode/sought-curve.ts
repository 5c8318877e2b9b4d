/** Addresses that log like curves of a launchpad, and the results of looking them up. */
import type { CurveFound } from '../../../schemas/chain-a/facts.ts'
import type { Address, BlockHash, BlockNumber } from '../../../schemas/units.ts'
import type { Launchpad } from '../launchpads/launchpad.ts'

/**
 * An address that logs like a curve. The lookup reads its state just before `blockNumber`. `launch` is null if the
 * address book does not have the curve.
 */
export type SoughtCurve = Readonly<{
  curve: Address
  launchpad: Launchpad
  blockNumber: BlockNumber
  blockHash: BlockHash
  launch: Pick<CurveFound, 'launchBlock' | 'launchAtMs'> | null
}>

/** The result of a curve's lookup: its state just before `blockNumber`. */
export type FoundCurve = Readonly<{
  token: Address
  blockNumber: BlockNumber
  data: Omit<CurveFound, 'blockNumber' | 'blockAtMs' | 'txIndex' | 'logIndex' | 'blockHash' | 'txHash'>
}>

/**
 * Why a rejected address had been taken for a curve of a followed launchpad.
 * - `stranger`: its events look like those of a curve, but no launch of it is known.
 * - `launch`: it was launched, but it does not answer like the curves of the launchpad.
 */
export type RefusedAs = 'stranger' | 'launch'
