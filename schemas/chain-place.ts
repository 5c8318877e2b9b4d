/** The place of a fact on a chain: its block, its transaction, and the index of its log or event. */
import type { AvroValue } from './avro.ts'
import { block, blockHash, epochMs, txHash } from './flavors.ts'

/**
 * The fields of the place. On chain A, `blockHash` and `logIndex` identify a fact. On chain B, `txHash` and
 * `logIndex` identify a fact. `blockAtMs` is the time of the block. Several blocks can have the same time,
 * because most chains give block times in whole seconds.
 */
export const chainPlace = [
  { name: 'blockNumber', type: block },
  { name: 'blockAtMs', type: epochMs },
  { name: 'txIndex', type: 'int' },
  { name: 'logIndex', type: 'int' },
  { name: 'blockHash', type: blockHash },
  { name: 'txHash', type: txHash },
] as const

export type ChainPlace = AvroValue<Readonly<{ type: 'record'; fields: typeof chainPlace }>>
