/** Builds blocks and transactions of slots, for tests of the rules that combine them. */
import type { LastBlock } from '../../../../ingest/chain-b/follow/links.ts'
import type { EventTransaction } from '../../../../ingest/chain-b/follow/read-events.ts'
import type { LinkedSlot } from '../../../../ingest/chain-b/follow/slot-reader.ts'
import type { ListedTransaction, NodeBlock } from '../../../../ingest/chain-b/node/reader.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { buildHash } from '../../../support/builders/build-facts.ts'

/** Returns the block hash of a slot on a branch. */
export const hashOf = (slot: number, branch = 0): Hex => buildHash(branch * 1_000_000 + slot)

export const buildBlock = (slot: number, fields: Partial<NodeBlock> = {}): NodeBlock => ({
  number: slot,
  hash: hashOf(slot),
  atMs: slot * 400,
  parentSlot: slot - 1,
  parentHash: hashOf(fields.parentSlot ?? slot - 1),
  ...fields,
})

export const lastAt = (slot: number, branch = 0): LastBlock => ({ number: slot, hash: hashOf(slot, branch), atMs: 0 })

export const listed = (signature: string, slot: number, index: number | null = null): ListedTransaction => ({
  signature,
  slot,
  index,
})

export const read = (signature: string, index: number | null = null): EventTransaction => ({
  ...{ signature, txHash: hashOf(1), index },
  events: [],
})

export const signaturesIn = (slots: readonly LinkedSlot[]): readonly (readonly [number, readonly string[]])[] =>
  slots.map(({ block, transactions }) => [block.number, transactions.map(({ signature }) => signature)])
