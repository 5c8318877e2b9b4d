/**
 * Lists the transactions of an address with Solana's standard method, which gives only signatures, newest
 * first. Each transaction is then read separately.
 */
import { z } from 'zod'
import type { BlockNumber } from '../../../schemas/units.ts'
import { inParallel } from '../../in-parallel.ts'
import { parsed, seconds, slotNumber } from './answers.ts'
import { inconsistent } from './failures.ts'
import { listOf } from './list-shape.ts'
import type { ChainBReader, ListedTransaction, SlotRange } from './reader.ts'
import type { Rpc } from './rpc.ts'

const method = 'getSignaturesForAddress'
const pageCount = 1000
/**
 * The maximum number of pages of one address. So many pages have 200,000 transactions, and a curve has fewer.
 */
const pagesMax = 200
const readAtOnce = 20

const page = listOf(
  z.object({ signature: z.string(), slot: slotNumber, err: z.unknown(), blockTime: seconds.nullish() }),
)
type Entry = z.output<typeof page>[number]

/** `slot` is the oldest slot to list. `minContextSlot` is the slot that the node must have reached. */
type Since = Readonly<{ slot: BlockNumber; minContextSlot?: BlockNumber | undefined }>

type PlainLister = Pick<ChainBReader, 'listOf' | 'transactionsOf' | 'oldestOf'>

export function createPlainLister({ request }: Rpc, transaction: ChainBReader['transaction']): PlainLister {
  /**
   * Reads the signatures of the address, newest first, until one is older than `slot`. Returns null if more
   * than `pagesMax` pages are needed.
   */
  const backTo = async (address: string, since: Since, signal: AbortSignal): Promise<readonly Entry[] | null> => {
    const { slot, minContextSlot } = since
    const found: Entry[] = []
    for (let pageIndex = 0, before: string | undefined; pageIndex < pagesMax; pageIndex++) {
      const params = [address, { commitment: 'confirmed', limit: pageCount, minContextSlot, ...(before && { before }) }]
      const entries = parsed(page, await request(method, params, signal), method)
      found.push(...entries)
      const last = entries.at(-1)
      // A node may send fewer entries than requested, so only an empty page is the end of the list.
      if (!last || last.slot < slot) return found
      before = last.signature
    }
    return null
  }

  const listBy = async (address: string, range: SlotRange & Pick<Since, 'minContextSlot'>, signal: AbortSignal) => {
    const { fromSlot, toSlot, minContextSlot } = range
    const entries = await backTo(address, { slot: fromSlot, minContextSlot }, signal)
    if (entries === null)
      throw inconsistent(`the node lists more than ${pagesMax * pageCount} transactions since slot ${fromSlot}`)
    const listed = entries
      .filter(({ slot, err }) => slot >= fromSlot && slot <= toSlot && !err)
      .map(({ signature, slot }): ListedTransaction => ({ signature, slot, index: null }))
    const bySignature = new Map(listed.map((each) => [each.signature, each]))
    return [...bySignature.values()].reverse().sort((left, right) => left.slot - right.slot)
  }

  return {
    listOf: listBy,
    async transactionsOf(address, range, signal) {
      const listed = await listBy(address, { ...range, minContextSlot: range.toSlot }, signal)
      return await inParallel(listed, readAtOnce, async ({ signature }) => {
        const read = await transaction(signature, signal)
        if (read === null) throw inconsistent('the node does not have a transaction that it listed')
        return read
      })
    },
    async oldestOf(address, signal) {
      const first = (await backTo(address, { slot: 0 }, signal))?.findLast(({ err }) => !err)
      return first
        ? { signature: first.signature, slot: first.slot, atMs: first.blockTime ? first.blockTime * 1000 : null }
        : null
    },
  }
}
