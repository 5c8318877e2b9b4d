/** The place of a fact on a chain: its block, its transaction, and its EVM log or event. */
import type { AvroValue } from './avro.ts'
import { block, blockHash, epochMs, txHash } from './flavors.ts'

/**
 * `blockHash` and `logIndex` identify a fact of chain A, `txHash` and `logIndex` a fact of chain B. `blockAtMs` is the time of the
 * block in epoch ms. Most chains have whole seconds, so several blocks can have the same time.
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
