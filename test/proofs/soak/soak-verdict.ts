/** Decides from the measurements of a soak test whether memory and disk are bounded. */
import type { Sample } from './soak-meter.ts'

const memoryGrowthMax = 0.1
/**
 * The disk may grow by this share. The size of the disk changes with whole days of facts and with merges. So
 * the maximum before the compared hour is compared with the maximum after it.
 */
const diskGrowthMax = 0.25

/** Prints the growth of memory and disk. Returns true if every growth is within its limit. */
export function printVerdict(samples: readonly Sample[]): boolean {
  const last = samples.at(-1)
  const middle = samples.find(({ hour }) => hour >= comparedHour(last?.hour ?? 0))
  if (!last || !middle) return false
  const memory = (name: string, of: (sample: Sample) => number) =>
    isWithin(`${name} after ${middle.hour} and ${last.hour} h`, [of(middle), of(last)], memoryGrowthMax)
  const isMemoryBounded = [
    memory('RSS', (sample) => sample.memory.rssMb),
    memory('its own pages (RSS without files that the system can drop)', (sample) => sample.memory.anonMb),
  ].every((isSo) => isSo)
  const diskOf = ({ logMb, tablesMb }: Sample) => logMb + tablesMb
  const highest = (its: readonly Sample[]) => Math.max(...its.map(diskOf))
  const first = highest(samples.filter(({ hour }) => hour <= middle.hour))
  const second = highest(samples.filter(({ hour }) => hour > middle.hour))
  const isDiskBounded = isWithin(`disk at most up to ${middle.hour} h and since`, [first, second], diskGrowthMax)
  return isMemoryBounded && isDiskBounded
}

/**
 * Returns the hour whose measurement is compared with the last one. It is whole days before the end, because
 * the log deletes facts and their mapped pages by the day. A soak test of less than two days compares its
 * halves.
 */
const comparedHour = (hours: number): number => (hours < 48 ? hours / 2 : hours - 24 * Math.floor(hours / 48))

/** Prints one growth, and returns whether it is within its limit. */
function isWithin(what: string, [before, after]: readonly [number, number], growthMax: number): boolean {
  const growth = after / before - 1
  const isSo = growth <= growthMax
  console.log(
    `${what}: ${before} and ${after} MB, ${percent(growth)} (at most ${percent(growthMax)}) ${isSo ? 'ok' : 'FAILED'}`,
  )
  return isSo
}

const percent = (share: number): string => `${share >= 0 ? '+' : ''}${Math.round(share * 1000) / 10} %`
