import { OperationError } from '../../../infra/errors.ts'
import type { Address, Hex, TxHash } from '../../../schemas/units.ts'
import { addressOf } from '../decode/log-words.ts'
import type { OwnerReader } from '../lookups/owners.ts'
import type { SenderReader } from '../lookups/senders.ts'
import { askMany } from './ask-many.ts'
import { callContract } from './call-contract.ts'
import type { Node } from './node.ts'

/**
 * Creates the reader of the `from` addresses of transactions. If a bundler sent the call of a user, `from` is
 * the bundler's address. The reader fails as `Node.request` does.
 */
export function createRpcSenderReader({ node }: Readonly<{ node: Node }>): SenderReader {
  return (txHashes, signal) => sendersOf(txHashes, (hash) => readSender(node, hash, signal))
}

/**
 * Reads the senders of transactions whose logs the node has sent. Fails with `node_inconsistent` if the node does not
 * have one of the transactions.
 */
export async function readSenders(
  node: Node,
  txHashes: readonly TxHash[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Address>> {
  return await sendersOf(txHashes, async (hash) => {
    const sender = await readSender(node, hash, signal)
    if (sender) return sender
    throw new OperationError(
      'node_inconsistent',
      `the node returned an event of transaction ${hash}, but not the transaction`,
    )
  })
}

async function sendersOf(
  txHashes: readonly TxHash[],
  read: (hash: TxHash) => Promise<Address | null>,
): Promise<ReadonlyMap<string, Address>> {
  const senders = new Map<string, Address>()
  const hashes = [...new Set(txHashes)]
  const found = await askMany(hashes, read)
  hashes.forEach((hash, index) => {
    const sender = found[index]
    if (sender) senders.set(hash, sender)
  })
  return senders
}

async function readSender(node: Node, hash: TxHash, signal: AbortSignal): Promise<Address | null> {
  const call = { method: 'eth_getTransactionByHash', params: [hash] }
  const transaction = await node.request<Readonly<{ from?: unknown }> | null>(call, signal)
  if (!transaction) return null
  const from = String(transaction.from).toLowerCase()
  if (!/^0x[0-9a-f]{40}$/.test(from))
    throw new OperationError('node_inconsistent', `the node returned transaction ${hash} without a sender`)
  return from as Address
}

/**
 * The selector of the contract function `ownerOf(uint256)`. The call reverts if the NFT with this number was
 * never minted, or was burned.
 */
const ownerOf = '0x6352211e'

type OwnerReaderOptions = Readonly<{ node: Node; positionManager: Hex }>

/**
 * Creates the reader of the owners of position NFTs. The reader calls the position manager contract at the
 * state after the block `blockHash`.
 */
export function createRpcOwnerReader({ node, positionManager }: OwnerReaderOptions): OwnerReader {
  return async ({ blockHash, positionIds }, signal) => {
    const read = async (positionId: Hex) => {
      const call = { to: positionManager, data: `${ownerOf}${positionId.slice(2)}`, block: blockHash } as const
      const owner = await callContract(node, call, signal)
      return [positionId, owner && ownerIn(owner)] as const
    }
    return new Map(await askMany(positionIds, read))
  }
}

function ownerIn(answer: Hex): Hex {
  const owner = answer.length === 66 ? addressOf(BigInt(answer)) : null
  if (owner === null) throw new OperationError('node_refused', 'the position manager did not answer with an address')
  return owner
}
