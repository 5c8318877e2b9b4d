/**
 * Orders the transactions of a slot if the node does not give their order. Each trade begins with the
 * reserves that the previous trade left, so the reserves show the order.
 */
import { beforeTrade, type Reserves } from '../../../schemas/chain-b/curve.ts'
import type { ChainBEvent } from '../../../schemas/chain-b/facts.ts'
import { beforePoolTrade } from '../../../schemas/chain-b/pool.ts'
import type { KeyedEvent } from '../decode/decode-transaction.ts'
import { type Edge, walkEdges } from './walk-edges.ts'

export type SlotTransaction = Readonly<{
  /** The transaction's index in the slot. Null if the node did not give the index. */
  index: number | null
  /** The facts of the transaction, in the order of their events. */
  facts: readonly KeyedEvent[]
}>

/**
 * Returns all facts of a slot in chain order and with their `txIndex`. If the node did not give all indexes,
 * the reserves give the order, and `txIndex` is the position in this order. If trades undo each other,
 * several orders are possible, and any of them may be returned.
 */
export function orderSlot(
  transactions: readonly SlotTransaction[],
  lastOf: (key: string) => Reserves | undefined,
): readonly KeyedEvent[] {
  const isNumbered = transactions.every(({ index }) => index !== null)
  const numbers = mergeOrders(transactions.length, [
    byIndex(transactions),
    ...(isNumbered ? [] : ordersByKey(transactions, lastOf)),
  ])
  return numbers.flatMap((number, rank) => {
    const { index = null, facts = [] } = transactions[number] ?? {}
    return facts.map((keyed) => withTxIndex(keyed, isNumbered ? (index ?? rank) : rank))
  })
}

const withTxIndex = ({ key, fact }: KeyedEvent, txIndex: number): KeyedEvent => ({
  key,
  fact: { ...fact, data: { ...fact.data, txIndex } } as ChainBEvent,
})

/** Returns the positions in `transactions` of those that have an index, in the order of the index. */
function byIndex(transactions: readonly SlotTransaction[]): readonly number[] {
  return transactions
    .flatMap(({ index }, number) => (index === null ? [] : [{ index, number }]))
    .sort((left, right) => left.index - right.index)
    .map(({ number }) => number)
}

/** The facts of one mint in a transaction. `number` is the position of the transaction in the list. */
type Part = Readonly<{ number: number; index: number | null; facts: readonly ChainBEvent[] }>

function ordersByKey(
  transactions: readonly SlotTransaction[],
  lastOf: (key: string) => Reserves | undefined,
): readonly (readonly number[])[] {
  const partsOf = new Map<string, Part[]>()
  for (const [number, { index, facts }] of transactions.entries())
    for (const key of new Set(facts.map((keyed) => keyed.key))) {
      const part = { number, index, facts: facts.filter((keyed) => keyed.key === key).map(({ fact }) => fact) }
      const parts = partsOf.get(key)
      if (parts) parts.push(part)
      else partsOf.set(key, [part])
    }
  return [...partsOf].map(([key, parts]) => orderOf(parts, lastOf(key)))
}

/**
 * Orders the transactions of one mint: the launch, then trades on the curve, the migration, and trades in the
 * pool.
 */
function orderOf(parts: readonly Part[], last: Reserves | undefined): readonly number[] {
  const launches = parts.filter(({ facts }) => facts.some(({ type }) => type === 'CurveLaunched'))
  const launched = launches.flatMap(({ facts }) => stateAfterLaunch(facts) ?? []).at(-1)
  const others = parts.filter((part) => !launches.includes(part))
  const onCurve = others.flatMap((part) => curveEdgeOf(part) ?? [])
  const migrations = others.filter(({ facts }) => facts.some(({ type }) => type === 'CurveMigrated'))
  const inPool = others.flatMap((part) => poolEdgeOf(part) ?? [])
  return [
    ...launches,
    ...walkParts(onCurve, launched ?? (last && textOf(last))),
    ...migrations,
    ...walkParts(inPool, undefined),
  ].map(({ number }) => number)
}

/**
 * Orders the trades along paths. On a path, each trade begins with the reserves after the previous trade.
 * Between two paths, a trade is missing. The path from the reserves `start` comes first. The other paths are
 * ordered by their lowest transaction index.
 */
function walkParts(edges: readonly Edge<Part>[], start: string | undefined): readonly Part[] {
  const paths = walkEdges(edges, start)
  const isFromStart = edges.some(({ from }) => from === start)
  const [first, others] = isFromStart ? [paths.slice(0, 1), paths.slice(1)] : [[], [...paths]]
  const lowestIn = (path: readonly Part[]) => Math.min(...path.map(({ index }) => index ?? Number.MAX_SAFE_INTEGER))
  return [...first, ...others.sort((left, right) => lowestIn(left) - lowestIn(right))].flat()
}

const textOf = ({ quoteRaw, tokenRaw }: Reserves): string => `${quoteRaw}:${tokenRaw}`

function stateAfterLaunch(facts: readonly ChainBEvent[]): string | null {
  const last = facts.findLast(({ type }) => type === 'CurveLaunched' || type === 'CurveTraded')
  if (last?.type !== 'CurveLaunched' && last?.type !== 'CurveTraded') return null
  return textOf({ quoteRaw: last.data.virtualQuoteRaw, tokenRaw: last.data.virtualTokenRaw })
}

function curveEdgeOf(part: Part): Edge<Part> | null {
  const trades = part.facts.flatMap(({ type, data }) => (type === 'CurveTraded' ? [data] : []))
  const [first, last] = [trades[0], trades.at(-1)]
  if (!first || !last) return null
  const to = textOf({ quoteRaw: last.virtualQuoteRaw, tokenRaw: last.virtualTokenRaw })
  return { from: textOf(beforeTrade(first)), to, item: part }
}

function poolEdgeOf(part: Part): Edge<Part> | null {
  const trades = part.facts.flatMap(({ type, data }) =>
    type === 'PoolTraded' && !data.isBeforeMigration ? [data] : [],
  )
  const [first, last] = [trades[0], trades.at(-1)]
  if (!first || !last) return null
  const to = textOf({ quoteRaw: last.poolQuoteRaw, tokenRaw: last.poolTokenRaw })
  return { from: textOf(beforePoolTrade(first)), to, item: part }
}

/**
 * Merges several orders of the numbers `0 … count - 1` into one order. Each given order may contain only some
 * of the numbers. If several numbers could come next, the lowest one is taken. If the orders contradict each
 * other, the result violates some of them.
 */
export function mergeOrders(count: number, orders: readonly (readonly number[])[]): readonly number[] {
  const followers = Array.from({ length: count }, (): number[] => [])
  const waitsFor = new Int32Array(count)
  for (const order of orders)
    for (const [index, item] of order.entries()) {
      const next = order[index + 1]
      if (next === undefined || next === item) continue
      followers[item]?.push(next)
      waitsFor[next] = (waitsFor[next] ?? 0) + 1
    }
  const left = new Set(Array.from({ length: count }, (_, item) => item))
  const merged: number[] = []
  while (left.size > 0) {
    const item = firstFree(left, waitsFor)
    left.delete(item)
    merged.push(item)
    for (const next of followers[item] ?? []) waitsFor[next] = (waitsFor[next] ?? 0) - 1
  }
  return merged
}

/**
 * Returns the lowest number that waits for no other number. If the orders contradict each other, every number
 * may wait. The function then returns the lowest number.
 */
function firstFree(left: ReadonlySet<number>, waitsFor: Int32Array): number {
  let lowest = Number.POSITIVE_INFINITY
  for (const item of left) {
    if ((waitsFor[item] ?? 0) <= 0) return item
    lowest = Math.min(lowest, item)
  }
  return lowest
}
