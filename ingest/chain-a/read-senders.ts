import { OperationError } from '../../infra/errors.ts'
import { type Delay, delay as realDelay } from '../delay.ts'
import type { SenderReader } from '../source.ts'
import type { Node } from './node.ts'
import type { Hex } from './presets.ts'
import { retrying } from './retry.ts'

/** Transactions asked for at the same time; they travel in batches of the node's size. */
const readAtOnceMax = 200

/**
 * Reads the senders from the transactions themselves (`from`: for a bundled call, that of the bundler). Fails with
 * `node_unreachable` after bounded retries, `node_refused` when the node answers with an error.
 */
export function createRpcSenderReader({
  node,
  delay = realDelay,
}: Readonly<{ node: Node; delay?: Delay }>): SenderReader {
  return async (txHashes, signal) => {
    const senders = new Map<string, Hex>()
    const hashes = [...new Set(txHashes)]
    for (let at = 0; at < hashes.length; at += readAtOnceMax) {
      const part = hashes.slice(at, at + readAtOnceMax)
      const found = await Promise.all(
        part.map((hash) => retrying(() => readSender(node, hash, signal), { delay, signal })),
      )
      part.forEach((hash, index) => {
        const sender = found[index]
        if (sender) senders.set(hash, sender)
      })
    }
    return senders
  }
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
