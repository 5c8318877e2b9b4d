/**
 * Compares the node's events of a curve with the recorded facts. Decides for one gap which events are
 * missing.
 */
import { afterTrade, beforeTrade, type Reserves } from '../../../schemas/chain-b/curve.ts'
import type { ChainBEvent, CurveTraded } from '../../../schemas/chain-b/facts.ts'
import type { BlockNumber } from '../../../schemas/units.ts'
import { factIdOf } from '../fact-order.ts'
import { type Edge, walkEdges } from '../reserves/walk-edges.ts'
import type { OpenGap } from './gap.ts'

/** How a fact is recorded: on time in its own slot, or as a late fact in a later slot. */
export type Timeliness = 'on-time' | 'late'

export type Missing = Readonly<{
  /**
   * The missing events to record, grouped by transaction. The transactions are in chain order, if the node
   * gives the order.
   */
  transactions: readonly (readonly ChainBEvent[])[]
  /** Like `transactions`, but also with the events that are already recorded as late facts. */
  found: readonly (readonly ChainBEvent[])[]
  /**
   * The number of trades that were found for the gap, including those that are already recorded as late
   * facts.
   */
  tradeCount: number
  /**
   * Whether the trades lead from the reserves before the gap to the reserves after it. If they do, no trade
   * is missing.
   */
  isWhole: boolean
}>

/**
 * Finds the missing events of a gap. `events` are the mint's events in the slots of the gap. Events that are
 * recorded on time are not missing. The other trades belong to the gap if they form a path from the reserves
 * before the gap to the reserves after it. If there is no such path, the node has not sent all trades. Then
 * all other trades count as missing, because they did happen.
 */
export function missingIn(
  gap: OpenGap,
  events: readonly ChainBEvent[],
  timelinessOf: (factId: string) => Timeliness | undefined,
): Missing {
  const timelinessByEvent = new Map(events.map((event) => [event, timelinessOf(factIdOf(event))]))
  const sought = events.filter((event) => isInside(gap, event) && timelinessByEvent.get(event) !== 'on-time')
  const edges = sought.flatMap((event) => (event.type === 'CurveTraded' ? [edgeOf(event)] : []))
  const path = pathThrough(gap, edges)
  const trades: readonly ChainBEvent[] = path ?? edges.map(({ item }) => item)
  const others = sought.filter(({ type }) => type !== 'CurveTraded')
  const found = [...trades, ...others]
  const unpublished = found.filter((event) => timelinessByEvent.get(event) === undefined)
  const [tradeCount, isWhole] = [trades.length, path !== null]
  return { transactions: transactionsOf(unpublished), found: transactionsOf(found), tradeCount, isWhole }
}

const isInside = ({ fromSlot, toSlot }: OpenGap, { data: { blockNumber } }: ChainBEvent): boolean =>
  blockNumber >= fromSlot && blockNumber <= toSlot

type Trade = Readonly<{ type: 'CurveTraded'; data: CurveTraded }>

const textOf = ({ quoteRaw, tokenRaw }: Reserves): string => `${quoteRaw}:${tokenRaw}`

function edgeOf(trade: Trade): Edge<Trade> {
  const before = beforeTrade(trade.data)
  return { from: textOf(before), to: textOf(afterTrade(before, trade.data)), item: trade }
}

/**
 * Finds the longest path of trades from the reserves before the gap to the reserves after it. Trades may undo
 * each other, so the path can reach the end reserves several times. Returns null if there is no path.
 */
function pathThrough({ from, to }: OpenGap, edges: readonly Edge<Trade>[]): readonly Trade[] | null {
  const edgeOfItem = new Map(edges.map((edge) => [edge.item, edge]))
  const walked = walkEdges(edges, textOf(from)).flat()
  let state = textOf(from)
  let length = 0
  for (const [index, item] of walked.entries()) {
    const edge = edgeOfItem.get(item)
    if (edge?.from !== state) break
    state = edge.to
    if (state === textOf(to)) length = index + 1
  }
  return length > 0 ? walked.slice(0, length) : null
}

/**
 * Groups events by transaction. The transactions are in the order of their slots, and the events in the order
 * of the transaction.
 */
function transactionsOf(events: readonly ChainBEvent[]): readonly (readonly ChainBEvent[])[] {
  const transactions = new Map<string, ChainBEvent[]>()
  for (const event of events) {
    const its = transactions.get(event.data.txHash)
    if (its) its.push(event)
    else transactions.set(event.data.txHash, [event])
  }
  const slotOf = (its: readonly ChainBEvent[]): BlockNumber => its[0]?.data.blockNumber ?? 0
  return [...transactions.values()]
    .map((its) => its.sort((left, right) => left.data.logIndex - right.data.logIndex))
    .sort((left, right) => slotOf(left) - slotOf(right))
}
