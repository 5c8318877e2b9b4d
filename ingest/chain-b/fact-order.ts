import type { ChainBEvent, ChainBFact } from '../../schemas/chain-b/facts.ts'
import type { Block } from '../../schemas/stage.ts'

/**
 * The id suffixes of facts that ingest derives from an event. Such a fact has the transaction and `logIndex`
 * of the event. Without a suffix, it would have the same id as the event.
 */
const suffixes: Partial<Record<ChainBFact['type'], string>> = {
  CurveFound: ':found',
  GapFound: ':gap',
  GapRepaired: ':repaired',
}

/**
 * Returns the id of a fact: its transaction, and its `logIndex` within the transaction. The id is the same
 * whether ingest read the fact in time or later.
 */
export const factIdOf = ({ type, data: { txHash, logIndex } }: ChainBFact): string =>
  `${txHash}:${logIndex}${suffixes[type] ?? ''}`

/** An upper limit of the number of events in a transaction. A transaction has at most 64 instructions. */
const eventsPerTransaction = 1024
/** An upper limit of the number of transactions in a slot. */
const transactionsPerSlot = 2 ** 24

/**
 * The amounts that are added to the sort keys of facts that ingest derives. CurveFound and GapFound come
 * right before the event from which they are derived. GapRepaired comes after the late facts that fill the
 * gap.
 */
const offsets: Partial<Record<ChainBFact['type'], number>> = { CurveFound: -0.5, GapFound: -0.25, GapRepaired: 0.5 }

/**
 * Returns the sort key of a fact within its slot. Late facts (read after later slots were recorded) and
 * GapRepaired come before all other facts, in the order of their `txIndex`.
 */
export function orderInBlock({ type, data }: ChainBFact): number {
  const isLate = type === 'GapRepaired' || ('lateSlot' in data && data.lateSlot !== null)
  const order = data.txIndex * eventsPerTransaction + data.logIndex + (offsets[type] ?? 0)
  return isLate ? order - transactionsPerSlot * eventsPerTransaction : order
}

/**
 * Moves a fact that was missing in its own slot to a later slot, which makes it a late fact. `rank` is the
 * number of the fact's transaction among the late transactions of that slot. It becomes the `txIndex`.
 */
export function lateFact(fact: ChainBEvent, slot: Block, rank: number): ChainBEvent {
  const { blockNumber: lateSlot, blockAtMs: lateAtMs } = fact.data
  const place = { blockNumber: slot.number, blockAtMs: slot.atMs, blockHash: slot.hash, txIndex: rank }
  return { ...fact, data: { ...fact.data, ...place, lateSlot, lateAtMs } } as ChainBEvent
}
