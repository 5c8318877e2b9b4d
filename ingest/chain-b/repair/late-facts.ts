/**
 * Adds facts that were found for gaps to a range of slots. They are late facts of the last slot of the range,
 * and come before all other facts of that slot.
 */
import type { ChainBEvent } from '../../../schemas/chain-b/facts.ts'
import type { Block } from '../../../schemas/stage.ts'
import type { BlockNumber } from '../../../schemas/units.ts'
import { lateFact } from '../fact-order.ts'
import type { ChainBRange, MintFact } from '../types.ts'
import type { OpenGap } from './gap.ts'

export type Repaired = Readonly<{
  gap: OpenGap
  /** The facts to record as late facts, grouped by transaction. */
  transactions: readonly (readonly ChainBEvent[])[]
  /** All facts that were found for the gap, including those that are already recorded as late facts. */
  found: readonly (readonly ChainBEvent[])[]
  /** The blocks of the slots in which facts were found. Empty if facts are still missing. */
  blocks: ReadonlyMap<number, Block>
  /**
   * The number of trades that were found for the gap, including those that are already recorded as late
   * facts.
   */
  lateCount: number
  /** The reason why facts are still missing. Null if no fact is missing. */
  failure: string | null
}>

export const factCountOf = ({ transactions }: Repaired): number =>
  transactions.reduce((count, events) => count + events.length, 1)

/**
 * Whether the late facts of a repair may be recorded in this slot. The slot must come after the gap, because
 * a late fact belongs to a slot before the one in which it is recorded.
 */
export const isDueIn = (slot: BlockNumber, { gap }: Repaired): boolean => slot > gap.toSlot

/** Returns the range with the late facts that fill the repaired gaps. */
export function withLateFacts(range: ChainBRange, repairs: readonly Repaired[]): ChainBRange {
  if (repairs.length === 0) return range
  const { head, facts } = range
  const inHead = facts.findIndex(({ fact }) => fact.data.blockNumber === head.number)
  const at = inHead < 0 ? facts.length : inHead
  return { ...range, facts: [...facts.slice(0, at), ...lateFactsOf(repairs, head), ...facts.slice(at)] }
}

function lateFactsOf(repairs: readonly Repaired[], slot: Block): readonly MintFact[] {
  const facts: MintFact[] = []
  let rank = 0
  for (const repaired of repairs) {
    const { key } = repaired.gap
    for (const events of repaired.transactions) {
      for (const event of events) facts.push({ key, fact: lateFact(event, slot, rank) })
      rank++
    }
    facts.push({ key, fact: repairedFact(repaired, slot, rank) })
    rank++
  }
  return facts
}

function repairedFact({ gap, lateCount, failure }: Repaired, slot: Block, rank: number): MintFact['fact'] {
  const { txHash, logIndex } = gap.place
  return {
    type: 'GapRepaired',
    data: {
      gapTxHash: gap.isFollowed ? txHash : null,
      gapLogIndex: gap.isFollowed ? logIndex : null,
      lateCount,
      isWhole: failure === null,
      failure,
      ...{ blockNumber: slot.number, blockAtMs: slot.atMs, blockHash: slot.hash, txIndex: rank, logIndex, txHash },
    },
  }
}
