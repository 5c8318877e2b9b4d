import type { ChainBEvent, ChainBFact } from '../../schemas/chain-b/facts.ts'
import type { Block } from '../../schemas/stage.ts'

/**
 * The suffixes of the ids of facts that ingest adds to an event. Such a fact has the transaction and ordinal of its event. Without a
 * suffix, both would have the same id.
 */
const suffixes: Partial<Record<ChainBFact['type'], string>> = {
  CurveFound: ':found',
  GapFound: ':gap',
  GapRepaired: ':repaired',
}

/** The id of an event: its transaction, and its ordinal in the transaction. A late fact has the same id as if it had been on time. */
export const factIdOf = ({ type, data: { txHash, logIndex } }: ChainBFact): string =>
  `${txHash}:${logIndex}${suffixes[type] ?? ''}`

/** A number greater than the number of events in any transaction, because a transaction has at most 64 instructions. */
const eventsPerTransaction = 1024
/** A number greater than the number of transactions in any slot. */
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
 * Moves a missing fact to a later slot, which makes it a late fact. `rank` becomes its `txIndex`, which numbers the transactions among the
 * late facts of the slot.
 */
export function lateFact(fact: ChainBEvent, slot: Block, rank: number): ChainBEvent {
  const { blockNumber: lateSlot, blockAtMs: lateAtMs } = fact.data
  const place = { blockNumber: slot.number, blockAtMs: slot.atMs, blockHash: slot.hash, txIndex: rank }
  return { ...fact, data: { ...fact.data, ...place, lateSlot, lateAtMs } } as ChainBEvent
}
