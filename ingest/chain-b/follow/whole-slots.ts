/**
 * Reads slots as whole blocks, for a node that cannot list transactions by slot. A block contains all its
 * transactions and the hash of the previous block. So no other check for missing transactions is needed.
 */

import type { Logger } from '../../../infra/telemetry.ts'
import type { BlockNumber } from '../../../schemas/units.ts'
import { inParallel } from '../../in-parallel.ts'
import { roleOf } from '../decode/programs.ts'
import { textsOf } from '../decode/transaction/wire.ts'
import { inconsistent } from '../node/failures.ts'
import type { ChainBReader, NodeTransaction } from '../node/reader.ts'
import { keepReadable } from './keep-readable.ts'
import { createKept } from './kept-reads.ts'
import type { LinkedSlot, SlotReader } from './slot-reader.ts'

/** The number of blocks that are read in parallel. A block has several megabytes. */
const blocksAtOnce = 6
/**
 * The maximum number of blocks that are read at a time. For each block, only the transactions of the pump and
 * PumpSwap programs are held in memory.
 */
const blocksPerRange = 32
/**
 * The maximum number of slots in one request for the slots that have blocks. Nodes refuse more than 500,000.
 */
const lookAhead = 100_000

export function createWholeSlots(
  reader: Pick<ChainBReader, 'slotsWithBlocks' | 'wholeBlock'>,
  logger: Pick<Logger, 'error'>,
): SlotReader {
  // The slots that were already read. A whole block is too large for this cache, so only the transactions of
  // the pump and PumpSwap programs are kept.
  const kept = createKept<number, LinkedSlot>()
  let keptFrom = 0
  const readSlot = async (slot: BlockNumber, signal: AbortSignal): Promise<LinkedSlot> => {
    const whole = await reader.wholeBlock(slot, signal)
    if (whole === null) throw inconsistent(`the node does not have the block of slot ${slot}, which it listed`)
    return { block: whole.block, transactions: keepReadable(whole.transactions.filter(namesOurs), logger) }
  }
  return {
    blockCountMax: blocksPerRange,
    run: async () => {},
    forget: kept.forget,
    async read({ fromSlot, head, blockCountMax }, _, signal) {
      if (fromSlot !== keptFrom) kept.forget()
      keptFrom = fromSlot
      const slots = await reader.slotsWithBlocks({ fromSlot, toSlot: Math.min(head, fromSlot + lookAhead) }, signal)
      return await inParallel(slots.slice(0, blockCountMax), blocksAtOnce, (slot) =>
        kept.of(slot, () => readSlot(slot, signal)),
      )
    },
  }
}

/**
 * Whether the transaction can have events of the pump and PumpSwap programs. The accounts of the message and
 * of the lookup tables include every program that the transaction calls.
 */
function namesOurs({ wire: { transaction, meta } }: NodeTransaction): boolean {
  const { message } = transaction as Readonly<{ message?: Readonly<{ accountKeys?: unknown }> }>
  const loaded = meta?.loadedAddresses
  return [message?.accountKeys, loaded?.writable, loaded?.readonly].some((keys) =>
    textsOf(keys)?.some((key) => roleOf(key)?.is === 'program'),
  )
}
