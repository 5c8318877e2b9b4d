/** Runs the simulator over a span of time at full speed. */
import { createAddressMaps } from '../../../../ingest/chain-b/address-maps.ts'
import type { ReorgPlan } from '../../../../ingest/chain-b/simulated/reorgs.ts'
import { createSimulator } from '../../../../ingest/chain-b/simulated/simulator.ts'
import type { ChainBRange, KnownChainB, KnownMints, MintFact } from '../../../../ingest/chain-b/types.ts'
import type { Block } from '../../../../schemas/stage.ts'

export const hourMs = 3_600_000
export const dayMs = 24 * hourMs
export const never = new AbortController().signal

type Told = Readonly<{
  seed: number
  fromMs: number
  toMs: number
  rangeSec?: number
  launchesPerDay?: number
  reorgs?: ReorgPlan
}>

const emptyBook = (): KnownMints => createAddressMaps().known

/** A log that has only this book. */
export const knownOf = (book: KnownMints = emptyBook()): KnownChainB => ({
  book,
  blocksFrom: async () => [],
  factIdsFrom: async () => new Map(),
  factsFrom: async () => [],
})

export const simulatorOver = ({ fromMs, toMs, ...told }: Told) =>
  createSimulator({ ...told, nowMs: () => toMs, span: { fromMs, toMs } })

export async function rangesOf(
  told: Told,
  cursor: Block | null = null,
  book: KnownMints = emptyBook(),
): Promise<readonly ChainBRange[]> {
  const ranges: ChainBRange[] = []
  for await (const range of simulatorOver(told).source.ranges(cursor, knownOf(book), never)) ranges.push(range)
  return ranges
}

export const factsOf = (ranges: readonly ChainBRange[]) => ranges.flatMap((range) => range.facts)

export function bookOf(ranges: readonly ChainBRange[]): KnownMints {
  const maps = createAddressMaps()
  for (const { newAddresses } of ranges) newAddresses.forEach(maps.put)
  return maps.known
}

/** Returns all facts as one text, so that two runs can be compared. */
export const textOf = (ranges: readonly ChainBRange[]): string =>
  factsOf(ranges)
    .map((fact) => JSON.stringify(fact, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)))
    .join('\n')

/** The facts of each mint. */
export function tapesOf(facts: readonly MintFact[]): ReadonlyMap<string, readonly MintFact['fact'][]> {
  const tapes = new Map<string, MintFact['fact'][]>()
  for (const { key, fact } of facts) {
    const tape = tapes.get(key)
    if (tape) tape.push(fact)
    else tapes.set(key, [fact])
  }
  return tapes
}
