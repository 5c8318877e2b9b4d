import type { ChainBEvent, ChainBFact } from '../../schemas/chain-b/facts.ts'
import type { Block } from '../../schemas/stage.ts'

/** Facts that ingest adds have the place of the event that they were made for, so their type tells them apart. */
const suffixes: Partial<Record<ChainBFact['type'], string>> = {
  CurveFound: ':found',
  GapFound: ':gap',
  GapRepaired: ':repaired',
}

/**
 * The id of an event is its transaction and its ordinal there. A late fact has the id that it would have had on time.
 */
export const factIdOf = ({ type, data: { txHash, logIndex } }: ChainBFact): string =>
  `${txHash}:${logIndex}${suffixes[type] ?? ''}`

/** More events than a transaction can have, because its instructions are limited to 64. */
const eventsPerTransaction = 1024
/** More transactions than a slot can have. */
const transactionsPerSlot = 2 ** 24

/** CurveFound and GapFound come right before the fact that they were made for, GapRepaired right after it. */
const offsets: Partial<Record<ChainBFact['type'], number>> = { CurveFound: -0.5, GapFound: -0.25, GapRepaired: 0.5 }

/**
 * The sort key within a slot. Late facts come before all others, in the order of their `txIndex`, and so do the
 * repairs.
 */
export function orderInBlock({ type, data }: ChainBFact): number {
  const isLate = type === 'GapRepaired' || ('lateSlot' in data && data.lateSlot !== null)
  const order = data.txIndex * eventsPerTransaction + data.logIndex + (offsets[type] ?? 0)
  return isLate ? order - transactionsPerSlot * eventsPerTransaction : order
}

/**
 * The fact, moved to this later slot. `rank` numbers the transactions of the slot's late facts. Facts of one
 * transaction share a rank.
 */
export function lateFact(fact: ChainBEvent, slot: Block, rank: number): ChainBEvent {
  const { blockNumber: lateSlot, blockAtMs: lateAtMs } = fact.data
  const place = { blockNumber: slot.number, blockAtMs: slot.atMs, blockHash: slot.hash, txIndex: rank }
  return { ...fact, data: { ...fact.data, ...place, lateSlot, lateAtMs } } as ChainBEvent
}
