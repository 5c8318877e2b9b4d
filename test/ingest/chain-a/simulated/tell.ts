/** Runs the simulator over a span of time at full speed. */
import { createAddressMaps } from '../../../../ingest/chain-a/address-maps.ts'
import type { ReorgPlan } from '../../../../ingest/chain-a/simulated/reorgs.ts'
import { createSimulator } from '../../../../ingest/chain-a/simulated/simulator.ts'
import type { ChainARange, KnownAddresses } from '../../../../ingest/chain-a/types.ts'
import type { Block } from '../../../../schemas/stage.ts'
import { bookWith, knownOf } from '../../known-of.ts'

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

export function simulatorOver({ seed, fromMs, toMs, rangeSec = 120, launchesPerDay = 510, reorgs }: Told) {
  return createSimulator({
    seed,
    nowMs: () => toMs,
    rangeSec,
    launchesPerDay,
    span: { fromMs, toMs },
    ...(reorgs && { reorgs }),
  })
}

export async function rangesOf(
  told: Told,
  cursor: Block | null = null,
  book: KnownAddresses = bookWith(),
): Promise<readonly ChainARange[]> {
  const ranges: ChainARange[] = []
  for await (const range of simulatorOver(told).source.ranges(cursor, knownOf({ book }), never)) ranges.push(range)
  return ranges
}

export const factsOf = (ranges: readonly ChainARange[]) => ranges.flatMap((range) => range.facts)

export function bookOf(ranges: readonly ChainARange[]): KnownAddresses {
  const maps = createAddressMaps()
  for (const { newAddresses } of ranges) newAddresses.forEach(maps.put)
  return maps.known
}

/** Returns all facts as one text, so that two runs can be compared. */
export const textOf = (ranges: readonly ChainARange[]): string =>
  factsOf(ranges)
    .map((fact) => JSON.stringify(fact, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)))
    .join('\n')
