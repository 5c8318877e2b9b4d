import { OperationError } from '../../../infra/errors.ts'
import type { Hex } from '../../../schemas/units.ts'
import { type Delay, delay as realDelay } from '../../delay.ts'
import type { SenderReader } from '../lookups/senders.ts'
import { askMany } from './ask-many.ts'
import type { Node } from './node.ts'
import { retrying } from './retry.ts'

/**
 * Reads `from` of the transactions; for a bundled call it is the bundler. Fails with `node_unreachable` after the last
 * retry, and with `node_refused` when the node answers with an error.
 */
export function createRpcSenderReader({
  node,
  delay = realDelay,
}: Readonly<{ node: Node; delay?: Delay }>): SenderReader {
  return (txHashes, signal) =>
    sendersOf(txHashes, (hash) => retrying(() => readSender(node, hash, signal), { delay, signal }))
}

/**
 * The same without retries, for a range that is read again as a whole. Fails with `node_inconsistent` for an unknown
 * hash.
 */
export async function readSenders(
  node: Node,
  txHashes: readonly Hex[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Hex>> {
  return await sendersOf(txHashes, async (hash) => {
    const sender = await readSender(node, hash, signal)
    if (sender) return sender
    throw new OperationError(
      'node_inconsistent',
      `the node returned a log of transaction ${hash}, but not the transaction`,
    )
  })
}

async function sendersOf(
  txHashes: readonly Hex[],
  read: (hash: Hex) => Promise<Hex | null>,
): Promise<ReadonlyMap<string, Hex>> {
  const senders = new Map<string, Hex>()
  const hashes = [...new Set(txHashes)]
  const found = await askMany(hashes, read)
  hashes.forEach((hash, index) => {
    const sender = found[index]
    if (sender) senders.set(hash, sender)
  })
  return senders
}

async function readSender(node: Node, hash: Hex, signal: AbortSignal): Promise<Hex | null> {
  const call = { method: 'eth_getTransactionByHash', params: [hash] }
  const transaction = await node.request<Readonly<{ from?: unknown }> | null>(call, signal)
  if (!transaction) return null
  const from = String(transaction.from).toLowerCase()
  if (!/^0x[0-9a-f]{40}$/.test(from))
    throw new OperationError('node_refused', `transaction ${hash} came without a sender`)
  return from as Hex
}
