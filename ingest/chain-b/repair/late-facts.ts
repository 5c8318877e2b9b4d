/**
 * Adds the found facts of gaps to a range, as late facts. The late facts are in the last slot of the range,
 * before all other facts of that slot.
 */
import type { ChainBEvent } from '../../../schemas/chain-b/facts.ts'
import type { Block } from '../../../schemas/stage.ts'
import type { BlockNumber } from '../../../schemas/units.ts'
import { lateFact } from '../fact-order.ts'
import type { ChainBRange, MintFact } from '../types.ts'
import type { OpenGap } from './gap.ts'

export type Repaired = Readonly<{
  gap: OpenGap
  /** The facts to publish as late facts, grouped by transaction. */
  transactions: readonly (readonly ChainBEvent[])[]
  /** All found facts of the gap, including facts that the log already has as late facts. */
  found: readonly (readonly ChainBEvent[])[]
  /** The blocks of the slots with found facts. Empty if facts are still missing. */
  blocks: ReadonlyMap<number, Block>
  /** The number of found trades, including trades that the log already has as late facts. */
  lateCount: number
  /** The reason why facts are still missing. Null if no fact is missing. */
  failure: string | null
}>

export const factCountOf = ({ transactions }: Repaired): number =>
  transactions.reduce((count, events) => count + events.length, 1)

/**
 * Whether a repair may be published in this slot. The slot must be later than the gap, because a late fact is
 * published in a later slot than its own slot.
 */
export const isDueIn = (slot: BlockNumber, { gap }: Repaired): boolean => slot > gap.toSlot

/** Returns the range with the late facts of the repairs. */
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
