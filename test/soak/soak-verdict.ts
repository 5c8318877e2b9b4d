/** What a soak makes of its measurements at the end. */
import type { Sample } from './soak-meter.ts'

const memoryGrowthMax = 0.1
/** Disk moves with whole days of facts and with merges: the highest of the second half may pass that of the first by this. */
const diskGrowthMax = 0.25

/** Prints the questions of a soak and their answers: true when all are yes. */
export function printVerdict(samples: readonly Sample[]): boolean {
  const last = samples.at(-1)
  const middle = samples.find(({ hour }) => hour >= (last?.hour ?? 0) / 2)
  if (!last || !middle) return false
  const memory = (name: string, of: (sample: Sample) => number) =>
    isWithin(`${name} after ${middle.hour} and ${last.hour} h`, [of(middle), of(last)], memoryGrowthMax)
  const isMemoryBounded = [
    memory('RSS', (sample) => sample.memory.rssMb),
    memory('its own pages (RSS without files that the system can drop)', (sample) => sample.memory.anonMb),
  ].every((isSo) => isSo)
  const diskOf = ({ logMb, tablesMb }: Sample) => logMb + tablesMb
  const highest = (half: readonly Sample[]) => Math.max(...half.map(diskOf))
  const first = highest(samples.filter(({ hour }) => hour <= middle.hour))
  const second = highest(samples.filter(({ hour }) => hour > middle.hour))
  const isDiskBounded = isWithin('disk at most in the first and the second half', [first, second], diskGrowthMax)
  return isMemoryBounded && isDiskBounded
}

/** Prints a line. */
function isWithin(what: string, [before, after]: readonly [number, number], growthMax: number): boolean {
  const growth = after / before - 1
  const isSo = growth <= growthMax
  console.log(
    `${what}: ${before} and ${after} MB, ${percent(growth)} (at most ${percent(growthMax)}) ${isSo ? 'ok' : 'FAILED'}`,
  )
  return isSo
}

const percent = (share: number): string => `${share >= 0 ? '+' : ''}${Math.round(share * 1000) / 10} %`
