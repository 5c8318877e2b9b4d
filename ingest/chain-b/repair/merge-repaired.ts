/**
 * Inserts missing facts into the recorded facts of some slots. Each fact gets the place that it would have if
 * it had never been missing.
 */
import type { Reserves } from '../../../schemas/chain-b/curve.ts'
import type { ChainBEvent, ChainBFact } from '../../../schemas/chain-b/facts.ts'
import type { Block } from '../../../schemas/stage.ts'
import type { BlockNumber, EpochMs } from '../../../schemas/units.ts'
import type { KeyedEvent } from '../decode/decode-transaction.ts'
import { factIdOf, orderInBlock } from '../fact-order.ts'
import type { MintFact } from '../types.ts'
import { idOfGap, type OpenGap } from './gap.ts'
import { type GapsLeft, gapsLeft } from './gaps-left.ts'
import type { Repaired } from './late-facts.ts'
import { isOnTime, placeInSlot } from './place-in-slot.ts'

export type Stretch = Readonly<{
  /** The recorded facts of the slots, in chain order. */
  facts: readonly MintFact[]
  /**
   * The blocks at which a recorded range ends, in ascending order: the newest one before the slots, and all
   * in the slots.
   */
  closed: readonly Block[]
}>

export type Merged = Readonly<{
  facts: readonly MintFact[]
  /** The missing facts, at their places among the recorded facts. */
  restored: readonly MintFact[]
  /** The ids of the filled gaps. */
  filled: ReadonlySet<string>
  /** The remaining gaps, updated. */
  changed: readonly OpenGap[]
}>

/**
 * Inserts the found facts into the recorded facts. Recorded late facts are removed if the found facts include
 * them. A gap is filled if the reserves match again. This is so if the trade after the gap begins with the
 * reserves that the trade before it left.
 */
export function mergeRepaired({ facts, closed }: Stretch, repairs: readonly Repaired[]): Merged {
  const missed = missedOf(facts, repairs)
  const ids = new Set(missed.map(({ fact }) => factIdOf(fact)))
  const kept = facts.filter((keyed) => isOnTime(keyed) || !ids.has(factIdOf(keyed.fact)))
  const filled = fillSlots(kept, { missed, repairs, clock: clockOf(closed, kept) })
  const left: GapsLeft = gapsLeft(filled, new Set(missed.map(({ key }) => key)))
  return {
    facts: left.facts,
    restored: left.facts.filter(({ fact }) => ids.has(factIdOf(fact)) && fact.type !== 'GapFound'),
    filled: new Set([...repairs.map(({ gap }) => idOfGap(gap)), ...left.filled]),
    changed: left.changed,
  }
}

export const inChainOrder = (left: MintFact, right: MintFact): number =>
  left.fact.data.blockNumber - right.fact.data.blockNumber || orderInBlock(left.fact) - orderInBlock(right.fact)

/** Returns the found facts that are not recorded in their own slot, without duplicates. */
function missedOf(facts: readonly MintFact[], repairs: readonly Repaired[]): readonly KeyedEvent[] {
  const known = new Set(facts.filter(isOnTime).map(({ fact }) => factIdOf(fact)))
  const missed: KeyedEvent[] = []
  for (const { gap, found } of repairs)
    for (const fact of found.flat()) {
      const id = factIdOf(fact)
      if (known.has(id)) continue
      known.add(id)
      missed.push({ key: gap.key, fact })
    }
  return missed
}

type Filling = Readonly<{ missed: readonly KeyedEvent[]; repairs: readonly Repaired[]; clock: Clock }>

function fillSlots(kept: readonly MintFact[], { missed, repairs, clock }: Filling): readonly MintFact[] {
  const missedIn = bySlot(missed)
  const keptIn = bySlot(kept)
  const lasts = new Map<string, Reserves>()
  const keys = new Set(missed.map(({ key }) => key))
  const slots = [...new Set([...keptIn.keys(), ...missedIn.keys()])].sort((left, right) => left - right)
  return slots.flatMap((slot) => {
    const [logged, its] = [keptIn.get(slot) ?? [], missedIn.get(slot) ?? []]
    const lastOf = (key: string) => lasts.get(key) ?? reservesBefore(slot, key, repairs)
    const block = blockOf(logged) ?? blockIn(slot, repairs, clock)
    const placed = its.length === 0 ? logged : placeInSlot({ logged, missed: its.map(inBlock(block)), lastOf })
    for (const keyed of placed) if (keys.has(keyed.key)) follow(keyed, lasts)
    return placed
  })
}

function follow(keyed: MintFact, lasts: Map<string, Reserves>): void {
  if (!isOnTime(keyed) || keyed.fact.type !== 'CurveTraded') return
  const { virtualQuoteRaw: quoteRaw, virtualTokenRaw: tokenRaw } = keyed.fact.data
  lasts.set(keyed.key, { quoteRaw, tokenRaw })
}

/**
 * Returns the reserves of a curve before its gap. They are needed if the last trade before the gap is not
 * among the given facts.
 */
const reservesBefore = (slot: BlockNumber, key: string, repairs: readonly Repaired[]): Reserves | undefined =>
  repairs.find(({ gap }) => gap.key === key && gap.fromSlot < slot)?.gap.from

const blockOf = ([first]: readonly MintFact[]): Block | undefined =>
  first && { number: first.fact.data.blockNumber, hash: first.fact.data.blockHash, atMs: first.fact.data.blockAtMs }

function blockIn(slot: BlockNumber, repairs: readonly Repaired[], clock: Clock): Block {
  const block = repairs.map(({ blocks }) => blocks.get(slot)).find((each) => each !== undefined)
  if (!block) throw new TypeError(`the block of slot ${slot} was not read`)
  return { ...block, atMs: clock(slot, block.atMs) }
}

const inBlock =
  ({ number, hash, atMs }: Block) =>
  ({ key, fact }: KeyedEvent): KeyedEvent => ({
    key,
    fact: {
      ...fact,
      data: { ...fact.data, blockNumber: number, blockHash: hash, blockAtMs: atMs },
    } as ChainBEvent,
  })

function bySlot<Keyed extends Readonly<{ fact: ChainBFact }>>(facts: readonly Keyed[]): Map<number, Keyed[]> {
  const slots = new Map<number, Keyed[]>()
  for (const keyed of facts) {
    const { blockNumber } = keyed.fact.data
    const its = slots.get(blockNumber)
    if (its) its.push(keyed)
    else slots.set(blockNumber, [keyed])
  }
  return slots
}

type Clock = (slot: BlockNumber, atMs: EpochMs) => number

/**
 * Creates a function that limits a block time to the times of the blocks before and after, because recorded
 * block times never fall.
 */
function clockOf(closed: readonly Block[], facts: readonly MintFact[]): Clock {
  const known = [...closed, ...facts.map(({ fact: { data } }) => ({ number: data.blockNumber, atMs: data.blockAtMs }))]
  known.sort((left, right) => left.number - right.number)
  return (slot, atMs) => {
    const before = known.findLast(({ number }) => number < slot)?.atMs ?? atMs
    const behind = known.find(({ number }) => number > slot)?.atMs ?? atMs
    return Math.min(behind, Math.max(before, atMs))
  }
}
