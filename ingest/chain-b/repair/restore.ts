import type { Block } from '../../../schemas/stage.ts'
import type { KnownChainB, MintFact } from '../types.ts'
import { gapIdOf, idOfRepaired } from './gap.ts'

/** Two hours: an older gap that no run of ours has repaired stays as it is. */
const gapSlots = 18_000
/** Two minutes: the curves that are not quiet yet. */
const recentSlots = 300

/** The facts of the log that the open gaps and the newest trades are known by, those of each mint in chain order. */
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

function openGaps(facts: readonly MintFact[]) {
  const open = new Map<string, Readonly<{ key: string; lastSlot: number }>>()
  for (const { key, fact } of facts) {
    if (fact.type === 'GapFound') open.set(gapIdOf(key, fact.data), { key, lastSlot: fact.data.lastSlot })
    if (fact.type === 'GapRepaired') open.delete(idOfRepaired(key, fact.data))
  }
  return [...open.values()]
}
