import { createHeliusLister } from './list-helius.ts'
import { createPlainLister } from './list-plain.ts'
import { createAccountReader } from './read-accounts.ts'
import { createBlockReader, createTransactionReader } from './read-blocks.ts'
import type { ChainBReader } from './reader.ts'
import { createRpc, type RpcOptions } from './rpc.ts'

/**
 * The options of a reader. If `isHelius` is true, the node has the method `getTransactionsForAddress`, which
 * lists transactions by slot.
 */
export type ReaderOptions = RpcOptions & Readonly<{ isHelius: boolean }>

export function openReader({ isHelius, ...options }: ReaderOptions): ChainBReader {
  const rpc = createRpc(options)
  const transaction = createTransactionReader(rpc)
  return {
    host: rpc.host,
    ...createBlockReader(rpc),
    ...createAccountReader(rpc),
    transaction,
    ...(isHelius ? createHeliusLister(rpc) : createPlainLister(rpc, transaction)),
  }
}
