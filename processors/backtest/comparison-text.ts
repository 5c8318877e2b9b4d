/** Formats the comparison of two lists of signals as plain text. */
import {
  type GroupCompared,
  type LookupCompared,
  lackShareMax,
  type ReturnsCompared,
  type SpanCompared,
} from './comparison.ts'
import type { Distribution } from './distribution.ts'

const heads = ['', 'recorded', 'with these rules'] as const
type Row = readonly [label: string, recorded: string, replayed: string]

export function textOfComparison(groups: readonly GroupCompared[]): string {
  if (groups.length === 0) return 'Neither the recorded rules nor these gave a signal in this range.\n'
  return groups.map(textOfGroup).join('\n')
}

function textOfGroup({ kind, group, spans, refusedBy, refusedIn, lookups }: GroupCompared): string {
  if (refusedIn) return `${kind}, ${group}\n  ${refusalOf({ refusedBy, ...refusedIn })}\n`
  const [first] = spans
  const titled = spans.map((span) => [spans.length > 1 ? `, ${span.span}` : '', span] as const)
  const tables = titled.map(([suffix, span]) => `${kind}, ${group}${suffix}\n${tableOf(span)}`)
  const notes = lookups.flatMap((lookup) => (first && first.replayed > 0 ? noteOf(lookup) : []))
  return [...tables, ...notes.map((note) => `  ${note}\n`)].join('')
}

function tableOf(span: SpanCompared): string {
  const counts: Row[] = [['signals', String(span.recorded), String(span.replayed)]]
  const rows = [...counts, ...span.returns.flatMap(rowsOfReturns)]
  const widths = [0, 1, 2].map((column) => Math.max(...[heads, ...rows].map((row) => (row[column] ?? '').length)))
  const line = (row: readonly string[]) =>
    `  ${row.map((cell, column) => pad(cell, widths, column)).join('  ')}`.trimEnd()
  return `${[heads, ...rows].map(line).join('\n')}\n  ${changesOf(span)}\n`
}

const pad = (cell: string, widths: readonly number[], column: number): string =>
  column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)

function changesOf({ same, moved, gained, lost, pending }: SpanCompared): string {
  const shifted = moved === 0 ? '' : `, and ${moved} within 10 minutes of a recorded one`
  const open = pending === 0 ? '' : `; ${pending} without an outcome within the range`
  return `the same: ${same}${shifted}; gained: ${gained}; lost: ${lost}${open}`
}

function rowsOfReturns({ name, costs, recorded, replayed }: ReturnsCompared): readonly Row[] {
  const row = (label: string, of: (distribution: Distribution) => string): Row => [label, of(recorded), of(replayed)]
  const known = row(`${name}, known of`, ({ n }) => String(n))
  if (recorded.n === 0 && replayed.n === 0) return [known]
  return [
    known,
    row('  mean, and its 90 % interval', meanText),
    ...(costs === 0
      ? []
      : [row(`  mean without costs of ${percent(costs)}`, ({ mean }) => percent(plus(mean, costs)))]),
    row('  median', ({ median }) => percent(median)),
    row('  a tenth is at or below', ({ p10 }) => percent(p10)),
    row('  nine tenths are at or below', ({ p90 }) => percent(p90)),
    row('  above 0', ({ winShare }) => percent(winShare)),
  ]
}

const plus = (mean: number | null, costs: number): number | null => (mean === null ? null : mean + costs)

const meanText = ({ mean, meanLow, meanHigh }: Distribution): string =>
  meanLow === null ? percent(mean) : `${percent(mean)} (${percent(meanLow)} to ${percent(meanHigh)})`

const percent = (share: number | null): string => (share === null ? '-' : `${(share * 100).toFixed(1)} %`)

type Refused = Pick<GroupCompared, 'refusedBy'> & NonNullable<GroupCompared['refusedIn']>

/**
 * Explains why a group of signals is not compared. Too many of its signals in a span lack the result of a lookup,
 * so the remaining signals would be a biased sample.
 */
const refusalOf = ({ refusedBy, span, replayedLack, recordedLack }: Refused): string =>
  `not compared: ${span === null ? '' : `${span}, `}${percent(recordedLack)} of the recorded signals and ${percent(replayedLack)} of those with these rules have no answer about ${refusedBy}, and --where allows at most ${percent(lackShareMax)}`

function noteOf({ name, replayedLack, recordedLack }: LookupCompared): readonly string[] {
  if (replayedLack === null || replayedLack === 0) return []
  const before = recordedLack === null ? '' : ` (recorded: ${percent(recordedLack)})`
  return [`${name}: ${percent(replayedLack)} of the signals with these rules have no answer${before}`]
}
