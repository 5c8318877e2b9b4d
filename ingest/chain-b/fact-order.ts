import type { ChainBEvent, ChainBFact } from '../../schemas/chain-b/facts.ts'
import type { Block } from '../../schemas/stage.ts'

/**
 * The id suffixes of facts that ingest adds to an event. The added fact has the transaction and ordinal of
 * the event. Without a suffix, the event and the added fact would have the same id.
 */
const suffixes: Partial<Record<ChainBFact['type'], string>> = {
  CurveFound: ':found',
  GapFound: ':gap',
  GapRepaired: ':repaired',
}

/**
 * Returns the id of a fact: its transaction, and its ordinal in the transaction. The id is the same whether
 * the fact is late or on time.
 */
export const factIdOf = ({ type, data: { txHash, logIndex } }: ChainBFact): string =>
  `${txHash}:${logIndex}${suffixes[type] ?? ''}`

/** An upper limit of the number of events in a transaction. A transaction has at most 64 instructions. */
const eventsPerTransaction = 1024
/** An upper limit of the number of transactions in a slot. */
const transactionsPerSlot = 2 ** 24

/**
 * The offsets in the sort keys of facts. CurveFound and GapFound come right before their event. GapRepaired comes after the late facts of
 * its gap.
 */
const offsets: Partial<Record<ChainBFact['type'], number>> = { CurveFound: -0.5, GapFound: -0.25, GapRepaired: 0.5 }

/**
 * The sort key of a fact within its slot. Late facts and GapRepaired come before all other facts, in the order of their
 * `txIndex`.
 */
export function orderInBlock({ type, data }: ChainBFact): number {
  const isLate = type === 'GapRepaired' || ('lateSlot' in data && data.lateSlot !== null)
  const order = data.txIndex * eventsPerTransaction + data.logIndex + (offsets[type] ?? 0)
  return isLate ? order - transactionsPerSlot * eventsPerTransaction : order
}

/**
 * Moves a missing fact to a later slot, which makes it a late fact. `rank` numbers the transactions among the
 * late facts of that slot. It becomes the `txIndex`.
 */
export function lateFact(fact: ChainBEvent, slot: Block, rank: number): ChainBEvent {
  const { blockNumber: lateSlot, blockAtMs: lateAtMs } = fact.data
  const place = { blockNumber: slot.number, blockAtMs: slot.atMs, blockHash: slot.hash, txIndex: rank }
  return { ...fact, data: { ...fact.data, ...place, lateSlot, lateAtMs } } as ChainBEvent
}
