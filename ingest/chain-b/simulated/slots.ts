/**
 * Computes the slots of the simulated chain. Each slot takes 400 ms, and none is skipped. Block times are
 * whole seconds, as on the real chain.
 */
import { hash } from 'node:crypto'
import type { Block } from '../../../schemas/stage.ts'
import type { BlockHash, BlockNumber, EpochMs, Hex } from '../../../schemas/units.ts'

const slotMs = 400
export const slotsPerSec = 1000 / slotMs
const genesisMs = 1_600_000_000_000

export const slotAt = (ms: EpochMs): BlockNumber => Math.floor((ms - genesisMs) / slotMs)
export const slotAtMs = (slot: BlockNumber): EpochMs => Math.floor((genesisMs + slot * slotMs) / 1000) * 1000

const digest = (seed: number, text: string): Hex => `0x${hash('sha256', `${seed}:${text}`, 'hex')}`

export const slotHashAt = (seed: number, slot: BlockNumber): BlockHash => digest(seed, `slot:${slot}`)
/** Returns the hash of the block that replaces this slot's block in a reorg. */
export const branchHashAt = (seed: number, slot: BlockNumber): BlockHash => digest(seed, `branch:${slot}`)

export const slotOf = (seed: number, slot: BlockNumber): Block => ({
  number: slot,
  hash: slotHashAt(seed, slot),
  atMs: slotAtMs(slot),
})
