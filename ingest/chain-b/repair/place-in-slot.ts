/** Inserts missing events of a slot among the recorded facts of the slot. */
import { afterTrade, beforeTrade, type Reserves } from '../../../schemas/chain-b/curve.ts'
import type { ChainBFact } from '../../../schemas/chain-b/facts.ts'
import type { KeyedEvent } from '../decode/decode-transaction.ts'
import { orderInBlock } from '../fact-order.ts'
import { orderSlot, type SlotTransaction } from '../reserves/order-slot.ts'
import type { MintFact } from '../types.ts'

export type SlotToFill = Readonly<{
  /** The facts of the slot in the log. */
  logged: readonly MintFact[]
  /** The missing events. Their `txIndex` is the transaction index that the node gave. */
  missed: readonly KeyedEvent[]
  /** Returns the reserves of a curve before the slot, if they are known. */
  lastOf(key: string): Reserves | undefined
}>

/**
 * Returns all facts of the slot in chain order. The recorded transactions keep their order among each other.
 */
export function placeInSlot({ logged, missed, lastOf }: SlotToFill): readonly MintFact[] {
  const [events, others] = [logged.filter(isOnTime), logged.filter((keyed) => !isOnTime(keyed))]
  const ordered = orderAll(events, missed, lastOf)
  const indexes = new Map(ordered.map(({ fact: { data } }) => [data.txHash, data.txIndex]))
  const moved = others.map((keyed) => (isBesideEvent(keyed.fact) ? withIndex(keyed, indexes) : keyed))
  return [...ordered, ...moved].sort((left, right) => orderInBlock(left.fact) - orderInBlock(right.fact))
}

/** Whether the fact is an event in its own slot, and not a late fact. */
export const isOnTime = (keyed: MintFact): keyed is KeyedEvent =>
  'lateSlot' in keyed.fact.data && keyed.fact.data.lateSlot === null

/**
 * Whether ingest derived the fact from an event of the slot. Such a fact gets the event's new `txIndex`. Late
 * facts and GapRepaired keep their `txIndex`.
 */
const isBesideEvent = ({ type }: ChainBFact): boolean => type === 'CurveFound' || type === 'GapFound'

const withIndex = ({ key, fact }: MintFact, indexes: ReadonlyMap<string, number>): MintFact => ({
  key,
  fact: { ...fact, data: { ...fact.data, txIndex: indexes.get(fact.data.txHash) ?? fact.data.txIndex } } as ChainBFact,
})

/**
 * Orders the transactions either by index or by reserves. Recorded transactions may have other numbers than
 * the node's indexes, which makes the order by index wrong. So the missing transactions are placed by their
 * reserves if that order has fewer breaks (`breakCount`). A trade that is still missing causes a break in
 * both orders.
 */
function orderAll(
  events: readonly KeyedEvent[],
  missed: readonly KeyedEvent[],
  lastOf: SlotToFill['lastOf'],
): readonly KeyedEvent[] {
  const numbered = transactionsOf(events, missed)
  const known = new Set(events.map(({ fact }) => fact.data.txHash))
  const isKnown = ({ facts }: SlotTransaction) => known.has(facts[0]?.fact.data.txHash ?? '0x')
  const byReserves = orderSlot(
    numbered.map((transaction) => (isKnown(transaction) ? transaction : { ...transaction, index: null })),
    lastOf,
  )
  if (new Set(numbered.map(({ index }) => index)).size < numbered.length) return byReserves
  const byIndex = orderSlot(numbered, lastOf)
  const keys = new Set(missed.map(({ key }) => key))
  return breakCount(byIndex, keys) <= breakCount(byReserves, keys) ? byIndex : byReserves
}

function transactionsOf(events: readonly KeyedEvent[], missed: readonly KeyedEvent[]): readonly SlotTransaction[] {
  const transactions = new Map<string, { index: number; facts: KeyedEvent[] }>()
  for (const keyed of [...events, ...missed]) {
    const { txHash, txIndex } = keyed.fact.data
    const known = transactions.get(txHash)
    if (known) known.facts.push(keyed)
    else transactions.set(txHash, { index: txIndex, facts: [keyed] })
  }
  const byEvent = (left: KeyedEvent, right: KeyedEvent) => left.fact.data.logIndex - right.fact.data.logIndex
  return [...transactions.values()].map(({ index, facts }) => ({ index, facts: facts.sort(byEvent) }))
}

/**
 * Returns the number of breaks on these curves. A break is a trade that does not begin with the reserves
 * after the previous trade in the slot.
 */
function breakCount(ordered: readonly KeyedEvent[], keys: ReadonlySet<string>): number {
  const lasts = new Map<string, Reserves>()
  let count = 0
  for (const { key, fact } of ordered) {
    if (fact.type !== 'CurveTraded' || !keys.has(key)) continue
    const [last, from] = [lasts.get(key), beforeTrade(fact.data)]
    lasts.set(key, afterTrade(from, fact.data))
    if (last && (last.quoteRaw !== from.quoteRaw || last.tokenRaw !== from.tokenRaw)) count++
  }
  return count
}
