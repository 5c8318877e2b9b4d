import { count, median } from '../rounds.ts'
import type { Throughput } from './measure.ts'
import { partitionCount } from './workload.ts'

type Quoted = Readonly<{ row: string; aims?: ReadonlyMap<string, string> }>

/**
 * Prints a line for each row: the medians, the range of the speed, and the number of snapshots. Each line
 * also has the speed of the quoted `row` divided by the speed of this row.
 */
export function printRows(results: ReadonlyMap<string, readonly Throughput[]>, { row, aims }: Quoted): void {
  const rateOf = (name: string): number => median((results.get(name) ?? []).map(({ perSecond }) => perSecond))
  for (const [name, its] of results) {
    const rates = its.map(({ perSecond }) => perSecond).sort((left, right) => left - right)
    const cpu = median(its.map(({ cpuSecondsPerMillion }) => cpuSecondsPerMillion)).toFixed(2)
    const range = `${count(rates[0] ?? Number.NaN)} to ${count(rates.at(-1) ?? Number.NaN)}`
    const ratio =
      name === row ? '' : `   quoted row ${(rateOf(row) / rateOf(name)).toFixed(2)} x${aims?.get(name) ?? ''}`
    console.log(
      `  ${name.padEnd(26)}${count(median(rates)).padStart(9)}/s   ${range.padEnd(19)}   ${cpu} CPU s per million${snapshotsText(its)}${ratio}`,
    )
  }
}

/**
 * Returns a text with the number of snapshots in all rounds. A task's snapshot is due every second, but none
 * begins while the last one is being written.
 */
function snapshotsText(its: readonly Throughput[]): string {
  const all = its.flatMap(({ snapshots }) => (snapshots === null ? [] : [snapshots]))
  if (all.length === 0) return ''
  const sum = (key: 'taken' | 'seconds') => all.reduce((total, each) => total + each[key], 0)
  return `   ${sum('taken')} snapshots by ${partitionCount} tasks in ${sum('seconds').toFixed(0)} s`
}
