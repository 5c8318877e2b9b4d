import type { Block } from '../../../schemas/stage.ts'
import type { BlockNumber } from '../../../schemas/units.ts'
import type { KeyedEvent } from '../decode/decode-transaction.ts'
import { markGaps } from '../reserves/mark-gaps.ts'
import { createReserveChain, type ReserveChain } from '../reserves/reserve-chain.ts'
import type { KnownChainB, MintFact } from '../types.ts'
import { gapIdOf, idOfRepaired } from './gap.ts'

/**
 * The number of recorded slots in which open gaps are searched. These slots take two hours. Older gaps stay
 * unrepaired.
 */
const gapSlots = 18_000
/**
 * The number of recorded slots whose trades give the reserves of their curves. These slots take 15 minutes.
 * For other curves, the next trade gives the reserves.
 */
const recentSlots = 2_250

/**
 * Reads the recorded facts about open gaps, and the newest trades. The facts of each mint are in chain order.
 */
export async function readRecentFacts(known: KnownChainB, { number }: Block): Promise<readonly MintFact[]> {
  const sinceSlot = number - gapSlots
  const aboutGaps = await known.factsFrom(sinceSlot, (type) => type === 'GapFound' || type === 'GapRepaired')
  const gaps = openGaps(aboutGaps)
  const keys = new Set(gaps.map(({ key }) => key))
  const firstSlot = gaps.reduce((first, { lastSlot }) => Math.min(first, lastSlot), number)
  const ofGaps = keys.size > 0 ? await known.factsFrom(Math.max(sinceSlot, firstSlot), (_, key) => keys.has(key)) : []
  const recent = await known.factsFrom(number - recentSlots, (_, key) => !keys.has(key))
  return [...ofGaps, ...recent]
}

/**
 * Sets the reserves in `chain` from the facts. If `chain` already has reserves of a curve, they come from a
 * newer trade and are kept.
 */
export function restoreChain(facts: readonly MintFact[], chain: ReserveChain): void {
  const restored = createReserveChain()
  const slots = new Map<string, number>()
  const events = facts.filter(isInTime)
  markGaps(events, restored)
  for (const { key, fact } of events)
    if (fact.type === 'CurveTraded' || fact.type === 'CurveLaunched') slots.set(key, fact.data.blockNumber)
  for (const [key, slot] of slots) {
    const last = restored.lastOf(key)
    if (last && chain.lastOf(key) === undefined) chain.begin(key, last, slot)
  }
}

const isInTime = (keyed: MintFact): keyed is KeyedEvent =>
  'lateSlot' in keyed.fact.data && keyed.fact.data.lateSlot === null

function openGaps(facts: readonly MintFact[]) {
  const open = new Map<string, Readonly<{ key: string; lastSlot: BlockNumber }>>()
  for (const { key, fact } of facts) {
    if (fact.type === 'GapFound') open.set(gapIdOf(key, fact.data), { key, lastSlot: fact.data.lastSlot })
    if (fact.type === 'GapRepaired') open.delete(idOfRepaired(key, fact.data))
  }
  return [...open.values()]
}
