import type { ChainBEvent, ChainBFact } from '../../schemas/chain-b/facts.ts'
import type { Block } from '../../schemas/stage.ts'

/** What ingest adds stands at the place of the fact that it was made for, so its type tells them apart. */
const suffixes: Partial<Record<ChainBFact['type'], string>> = {
  CurveFound: ':found',
  GapFound: ':gap',
  GapRepaired: ':repaired',
}

/** The chain's own name of an event is its transaction and its ordinal there. A late fact has the id that it would have had. */
export const factIdOf = ({ type, data: { txHash, logIndex } }: ChainBFact): string =>
  `${txHash}:${logIndex}${suffixes[type] ?? ''}`

/** A transaction has fewer events: its instructions are limited to 64. */
const eventsPerTransaction = 1024
/** A slot has fewer transactions. */
const transactionsPerSlot = 2 ** 24

/** CurveFound and GapFound stand right before the fact which they were made for. */
const offsets: Partial<Record<ChainBFact['type'], number>> = { CurveFound: -0.5, GapFound: -0.25, GapRepaired: 0.5 }

/** Late facts stand before all others of their slot, numbered through by `txIndex`; the repair that ends them among them. */
export function orderInBlock({ type, data }: ChainBFact): number {
  const isLate = type === 'GapRepaired' || ('lateSlot' in data && data.lateSlot !== null)
  const order = data.txIndex * eventsPerTransaction + data.logIndex + (offsets[type] ?? 0)
  return isLate ? order - transactionsPerSlot * eventsPerTransaction : order
}

/**
 * The fact as one of this later slot. `rank` numbers the transactions of late facts of the slot; facts of one transaction
 * share it.
 */
export function lateFact(fact: ChainBEvent, slot: Block, rank: number): ChainBEvent {
  const { blockNumber: lateSlot, blockAtMs: lateAtMs } = fact.data
  const place = { blockNumber: slot.number, blockAtMs: slot.atMs, blockHash: slot.hash, txIndex: rank }
  return { ...fact, data: { ...fact.data, ...place, lateSlot, lateAtMs } } as ChainBEvent
}
