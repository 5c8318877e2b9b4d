/** Addresses that log like curves of a launchpad, and what looking them up may find. */
import type { CurveFound } from '../../../schemas/chain-a/facts.ts'
import type { Hex } from '../../../schemas/units.ts'
import type { Launchpad } from '../launchpads/launchpad.ts'

/**
 * An address that logs like a curve, to be looked up as of the block before this one. `launch` null: the book does not
 * know it.
 */
export type SoughtCurve = Readonly<{
  curve: Hex
  launchpad: Launchpad
  blockNumber: number
  blockHash: Hex
  launch: Pick<CurveFound, 'launchBlock' | 'launchAtMs'> | null
}>

/** A curve as of the block before this one. */
export type FoundCurve = Readonly<{
  token: Hex
  blockNumber: number
  data: Omit<CurveFound, 'blockNumber' | 'blockAtMs' | 'txIndex' | 'logIndex' | 'blockHash' | 'txHash'>
}>

/** What an address was found to be instead of a curve that is followed. */
export type RefusedAs = 'stranger' | 'launch'
