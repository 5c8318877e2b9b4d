/** Where a fact stands on a chain of blocks, transactions and logs. */
import { type AvroValue, hex } from './avro.ts'

/**
 * With `blockHash` and `logIndex` it is the identity of the fact. `blockAtMs` is the block's own time: epoch ms, whole
 * seconds on most chains, so several blocks can share it.
 */
export const chainPlace = [
  { name: 'blockNumber', type: 'long' },
  { name: 'blockAtMs', type: 'long' },
  { name: 'txIndex', type: 'int' },
  { name: 'logIndex', type: 'int' },
  { name: 'blockHash', type: hex },
  { name: 'txHash', type: hex },
] as const

export type ChainPlace = AvroValue<Readonly<{ type: 'record'; fields: typeof chainPlace }>>
