/**
 * Reads slots by address. The node of Helius lists the transactions of the launch program (pump) and of each
 * followed pool.
 */
import type { Logger } from '../../../infra/telemetry.ts'
import type { BlockNumber } from '../../../schemas/units.ts'
import { inParallel } from '../../in-parallel.ts'
import { pumpProgram } from '../decode/programs.ts'
import { inconsistent } from '../node/failures.ts'
import type { ChainBReader, ListedTransaction, NodeBlock, NodeTransaction } from '../node/reader.ts'
import { keepReadable } from './keep-readable.ts'
import { createKeptReads } from './kept-reads.ts'
import { completeUpTo, numbered, quietSlots, type SlottedTransaction, sortOut, toSlots } from './listing.ts'
import { createPendingTransactions, type PendingTransaction, type PendingTransactions } from './pending-transactions.ts'
import type { PoolsOf, SlotReader, SlotRequest } from './slot-reader.ts'

export type ListedSlotsOptions = Readonly<{
  reader: ChainBReader
  /**
   * Puts the transactions that the node sends on its own into `held` until the signal aborts. Never rejects.
   */
  subscribe(held: PendingTransactions, signal: AbortSignal): Promise<void>
  logger: Logger
}>

/**
 * The maximum number of blocks that are read at a time. The chain produces this many blocks in about 20 s.
 * They contain a few thousand transactions of the launch program.
 */
const blocksPerRange = 50
/** The maximum number of stored transactions. The subscription sends fewer than this in a minute. */
const heldMax = 10_000
const readAtOnce = 10
/** If the subscription missed more transactions than this, ingest reads them together instead of one by one. */
const singlesMax = 40
/**
 * The maximum number of slots in one request for the slots that have blocks. Nodes refuse more than 500,000.
 */
const lookAhead = 100_000

type Slots = Readonly<{ fromSlot: BlockNumber; toSlot: BlockNumber }>

export function createListedSlots(options: ListedSlotsOptions): SlotReader {
  const { reader, subscribe } = options
  const held = createPendingTransactions(heldMax)
  const kept = createKeptReads(reader)
  let begun: Readonly<{ fromSlot: BlockNumber; tip: NodeBlock }> | null = null

  /**
   * Forgets the cached reads if this attempt begins at another slot than the previous one. Also forgets them
   * if the node no longer has the block that was the newest in the previous attempt (`tip`). Therefore all
   * reads of a range are of one branch.
   */
  const begin = async (fromSlot: BlockNumber, tip: NodeBlock, signal: AbortSignal) => {
    if (begun?.fromSlot !== fromSlot) kept.forget()
    else if (!kept.isEmpty() && (await reader.block(begun.tip.number, signal))?.hash !== begun.tip.hash) kept.forget()
    begun = { fromSlot, tip }
    held.forgetUpTo(fromSlot - 1)
  }
  return {
    blockCountMax: blocksPerRange,
    run: (signal) => subscribe(held, signal),
    forget: kept.forget,
    async read(request, poolsOf, signal) {
      const { fromSlot, head } = request
      const tip = await blockOf(reader, head, signal)
      await begin(fromSlot, tip, signal)
      const work = { ...options, held, poolsOf, signal, reader: { ...reader, ...kept.reader } }
      const toRead = await slotsToRead(work, request)
      const last = toRead.slots.at(-1)
      if (last === undefined) return []
      const transactions = await readTransactions(work, { fromSlot, toSlot: last }, toRead.listed)
      const blocks = await inParallel(toRead.slots, readAtOnce, (slot) => blockOf(work.reader, slot, signal))
      // If the node still has the same newest block, all reads since `begin` are of one branch.
      if ((await blockOf(reader, head, signal)).hash !== tip.hash)
        throw inconsistent(`slot ${head} was replaced during the read`)
      return toSlots(blocks, transactions)
    },
  }
}

type Work = ListedSlotsOptions & Readonly<{ held: PendingTransactions; poolsOf: PoolsOf; signal: AbortSignal }>
type ToRead = Readonly<{ slots: readonly number[]; listed: readonly ListedTransaction[] | null }>

/**
 * Returns the slots that can be read now. `listed` is the node's list of the launch program's transactions,
 * which proves that these slots are complete. Slots far behind the newest slot need no proof. For them
 * `listed` is null.
 */
async function slotsToRead({ reader, signal }: Work, { fromSlot, head, blockCountMax }: SlotRequest): Promise<ToRead> {
  const slots = await reader.slotsWithBlocks({ fromSlot, toSlot: Math.min(head, fromSlot + lookAhead) }, signal)
  const past = slots.filter((slot) => slot <= head - quietSlots)
  if (past.length > quietSlots) return { slots: past.slice(0, blockCountMax), listed: null }
  const listed = await reader.listOf(pumpProgram, { fromSlot, toSlot: head }, signal)
  const last = completeUpTo(listed, head)
  return { slots: slots.filter((slot) => slot <= last).slice(0, blockCountMax), listed }
}

async function readTransactions(
  work: Work,
  range: Slots,
  listed: readonly ListedTransaction[] | null,
): Promise<readonly SlottedTransaction[]> {
  const { reader, poolsOf, signal } = work
  const launched = listed === null ? await readPast(work, range) : await readListed(work, range, listed)
  const pools = poolsOf(launched.map(({ transaction }) => transaction))
  const traded = await inParallel(pools, readAtOnce, (pool) => reader.transactionsOf(pool, range, signal))
  // The node lists the transaction of a migration two times: for the pool and for the launch program.
  // `toSlots` keeps the last entry. The entry of the launch program must come last, because only that entry
  // has the transaction index.
  return [...readable(work, traded.flat()), ...launched]
}

/**
 * Returns the listed transactions. Their contents come from the subscription, or else from the node. Also
 * returns unlisted transactions that the subscription sent, if the node has them.
 */
async function readListed(work: Work, range: Slots, list: readonly ListedTransaction[]) {
  const listed = list.filter(({ slot }) => slot <= range.toSlot)
  const { sent, missing, unlisted } = sortOut(listed, heldIn(work, range))
  const indexes = new Map(missing.map(({ signature, index }) => [signature, index]))
  const read = await (missing.length > singlesMax ? readTogether(work, missing) : readSingly(work, missing))
  const found = readable(work, read).map(({ slot, transaction }) => ({
    slot,
    transaction: numbered(transaction, indexes.get(transaction.signature) ?? null),
  }))
  return [...sent, ...found, ...(await confirmed(work, unlisted))]
}

async function readPast(work: Work, range: Slots): Promise<readonly SlottedTransaction[]> {
  const read = await work.reader.transactionsOf(pumpProgram, range, work.signal)
  const { unlisted } = sortOut(read, heldIn(work, range))
  return [...readable(work, read), ...(await confirmed(work, unlisted))]
}

const heldIn = ({ held }: Work, { fromSlot, toSlot }: Slots): readonly PendingTransaction[] =>
  held.upTo(toSlot).filter(({ slot }) => slot >= fromSlot)

async function readTogether({ reader, signal }: Work, missing: readonly ListedTransaction[]) {
  const slots = missing.map(({ slot }) => slot)
  const range = { fromSlot: Math.min(...slots), toSlot: Math.max(...slots) }
  const wanted = new Set(missing.map(({ signature }) => signature))
  const read = await reader.transactionsOf(pumpProgram, range, signal)
  const found = read.filter(({ signature }) => wanted.has(signature))
  if (found.length < wanted.size) throw inconsistent('the node listed transactions that it does not have')
  return found
}

async function readSingly({ reader, signal }: Work, missing: readonly ListedTransaction[]) {
  return await inParallel(missing, readAtOnce, async ({ signature, slot }) => {
    const read = await reader.transaction(signature, signal)
    if (read?.slot !== slot) throw inconsistent(`the node does not have a transaction of slot ${slot} that it listed`)
    return read
  })
}

async function confirmed(
  { reader, logger, signal }: Work,
  unlisted: readonly PendingTransaction[],
): Promise<readonly SlottedTransaction[]> {
  const found = await inParallel(unlisted, readAtOnce, async (sent) => {
    const { slot, transaction } = sent
    const read = await reader.transaction(transaction.signature, signal)
    if (read?.slot === slot) return [sent]
    logger.warn(
      { slot, txHash: transaction.txHash },
      'the subscription sent a transaction that is not in the block of its slot. Ingest leaves the transaction out of the log',
    )
    return []
  })
  return found.flat()
}

const readable = ({ logger }: Work, transactions: readonly NodeTransaction[]): readonly SlottedTransaction[] => {
  const slots = new Map(transactions.map(({ signature, slot }) => [signature, slot]))
  return keepReadable(transactions, logger).map((transaction) => ({
    slot: slots.get(transaction.signature) ?? 0,
    transaction,
  }))
}

async function blockOf(reader: ChainBReader, slot: BlockNumber, signal: AbortSignal): Promise<NodeBlock> {
  const block = await reader.block(slot, signal)
  if (block === null) throw inconsistent(`the node does not have the block of slot ${slot}`)
  return block
}
