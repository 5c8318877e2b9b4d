import { base58OfHex } from '../../../infra/base58.ts'
import { OperationError } from '../../../infra/errors.ts'
import type { ChainBEvent } from '../../../schemas/chain-b/facts.ts'
import type { BlockHash } from '../../../schemas/units.ts'
import { decodeTransaction } from '../decode/decode-transaction.ts'
import { curveOfMint } from '../decode/derived-addresses.ts'
import { mintOfKey } from '../follow/decode-slot.ts'
import { eventsIn } from '../follow/read-events.ts'
import type { ChainBReader, NodeTransaction } from '../node/reader.ts'
import type { KnownMints } from '../types.ts'
import type { EventReader } from './repairs.ts'

/** Returns the account of a mint's curve. Both addresses are in base58. */
export type CurveOf = (key: string) => Promise<string>

/** Takes the curve from the address book if possible, because deriving the address takes 1 or 2 ms. */
export const createCurveOf =
  ({ mints }: Pick<KnownMints, 'mints'>): CurveOf =>
  async (key) => {
    const known = mints.get(mintOfKey(key))
    return known ? base58OfHex(known.curve) : await curveOfMint(key)
  }

/**
 * Creates the reader of the events of a mint's curve in the slots of a gap. It reads the transactions that
 * contain the curve's address. Fails as `ChainBReader` does.
 */
export const createEventReader =
  ({ transactionsOf }: Pick<ChainBReader, 'transactionsOf'>, curveOf: CurveOf): EventReader =>
  async ({ key, fromSlot, toSlot }, signal) => {
    const curve = await curveOf(key)
    const transactions = await transactionsOf(curve, { fromSlot, toSlot }, signal)
    return transactions.flatMap((transaction, rank) => eventsOf(transaction, rank, key))
  }

/**
 * Returns the events of a transaction. Fails if the transaction cannot be decoded. If such a transaction were
 * skipped, nobody would notice that its trades are missing.
 */
function eventsOf(transaction: NodeTransaction, rank: number, key: string): readonly ChainBEvent[] {
  const read = eventsIn(transaction)
  if (read.kind === 'failed') return []
  if (read.kind === 'refused')
    throw new OperationError('node_inconsistent', `the node sent a transaction that cannot be read: ${read.reason}`)
  // The hash of the slot is set later, when the facts are recorded. The block time comes from the events.
  const hash: BlockHash = '0x'
  const { txHash, index, events } = read.transaction
  const place = { blockNumber: transaction.slot, blockAtMs: null, txIndex: index ?? rank, blockHash: hash, txHash }
  const { facts, refusals } = decodeTransaction(events, { place, poolOf: () => undefined })
  if (refusals[0]) throw new OperationError('node_inconsistent', `an event cannot be read: ${refusals[0].reason}`)
  return facts.filter((keyed) => keyed.key === key).map(({ fact }) => fact)
}
