/**
 * Lists the transactions of an address with a method that only Helius has. The method selects transactions by
 * slot and returns them in chain order, with their indexes.
 */
import { makeGetTransactionsForAddress } from 'helius-sdk/rpc/methods/getTransactionsForAddress'
import { z } from 'zod'
import { parsed, seconds, signatureOf, slotNumber, transactionAnswer } from './answers.ts'
import { inconsistent } from './failures.ts'
import { listOf } from './list-shape.ts'
import { transactionVersionMax } from './read-blocks.ts'
import type { ChainBReader, ListedTransaction, NodeTransaction, SlotRange } from './reader.ts'
import type { Rpc } from './rpc.ts'

const method = 'getTransactionsForAddress'
/**
 * The number of transactions on one page. A page of 100 transactions with contents costs the same as a page
 * of one. Some versions of the service refuse more than 100.
 */
const pageCounts = { signatures: 1000, full: 100 } as const
/**
 * The maximum number of pages of one list. So many pages have 100,000 transactions with contents. No followed
 * address has that many in one range of slots.
 */
const pagesMax = 1_000

const place = { slot: slotNumber, transactionIndex: z.int().nonnegative().nullish() }
const listed = z.object({ ...place, signature: z.string(), err: z.unknown(), blockTime: seconds.nullish() })
const full = transactionAnswer.extend(place)
const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: listOf(item), paginationToken: z.string().nullish() })

type HeliusLister = Pick<ChainBReader, 'listOf' | 'transactionsOf' | 'oldestOf'>

export function createHeliusLister(rpc: Rpc): HeliusLister {
  const ask = (address: string, config: object, signal: AbortSignal): Promise<unknown> => {
    const call = makeGetTransactionsForAddress(
      <P, R>(name: string, params: P) => rpc.request(name, params as readonly unknown[], signal) as Promise<R>,
    )
    return call([address, { commitment: 'confirmed', sortOrder: 'asc', ...config }])
  }

  /**
   * Yields the items of all pages of a list. Fails if a page points to an earlier page, because the list
   * would then never end.
   */
  const pages = async function* <Item extends z.ZodType>(
    item: Item,
    request: ListRequest,
    signal: AbortSignal,
  ): AsyncGenerator<z.output<Item>> {
    const tokens = new Set<string>()
    const { details, address, range } = request
    for (let paginationToken: string | null | undefined; ; ) {
      const config = { ...configOf(details, range), ...(paginationToken ? { paginationToken } : {}) }
      const page = parsed(pageOf(item), await ask(address, config, signal), method)
      yield* page.data
      paginationToken = page.paginationToken
      if (!paginationToken) return
      if (tokens.has(paginationToken)) throw inconsistent(`a page of ${method} names an earlier page as its next page`)
      tokens.add(paginationToken)
      if (tokens.size >= pagesMax) throw inconsistent(`a list of ${method} has more than ${pagesMax} pages`)
    }
  }

  return {
    async listOf(address, range, signal) {
      const found: ListedTransaction[] = []
      for await (const { signature, slot, transactionIndex, err } of pages(
        listed,
        { address, range, details: 'signatures' },
        signal,
      ))
        if (err === null || err === undefined) found.push({ signature, slot, index: transactionIndex ?? null })
      return inOrder(found, range)
    },
    async transactionsOf(address, range, signal) {
      const found: NodeTransaction[] = []
      for await (const { slot, transactionIndex, transaction, meta } of pages(
        full,
        { address, range, details: 'full' },
        signal,
      ))
        if (meta?.err === null)
          found.push({
            ...{ signature: signatureOf(transaction, method), slot, index: transactionIndex ?? null },
            wire: { transaction, meta },
          })
      return inOrder(found, range)
    },
    async oldestOf(address, signal) {
      const answer = await ask(address, { limit: 1, filters: { status: 'succeeded', tokenAccounts: 'none' } }, signal)
      const [first] = parsed(pageOf(listed), answer, method).data
      return first
        ? { signature: first.signature, slot: first.slot, atMs: first.blockTime ? first.blockTime * 1000 : null }
        : null
    },
  }
}

type Details = keyof typeof pageCounts
type ListRequest = Readonly<{ address: string; range: SlotRange; details: Details }>

const configOf = (details: Details, { fromSlot, toSlot }: SlotRange) => ({
  transactionDetails: details,
  limit: pageCounts[details],
  ...(details === 'full'
    ? { encoding: 'json', maxSupportedTransactionVersion: transactionVersionMax, minContextSlot: toSlot }
    : {}),
  filters: { status: 'succeeded', tokenAccounts: 'none', slot: { gte: fromSlot, lte: toSlot } },
})

/**
 * Returns the items in chain order and without duplicates. Pages may overlap, because the list may grow
 * between two requests.
 */
function inOrder<Item extends ListedTransaction>(
  found: readonly Item[],
  { fromSlot, toSlot }: SlotRange,
): readonly Item[] {
  if (found.some(({ slot }) => slot < fromSlot || slot > toSlot))
    throw inconsistent(`the node listed a transaction outside the slots ${fromSlot}-${toSlot}`)
  const bySignature = new Map(found.map((each) => [each.signature, each]))
  return [...bySignature.values()].sort(
    (left, right) => left.slot - right.slot || (left.index ?? 0) - (right.index ?? 0),
  )
}
