/** The output of `launch-data replay --dry`: the counts, sizes and gaps of the records in a range. */
import { quietMsMax } from '../../replay/block-gaps.ts'
import type { Survey } from '../../replay/survey.ts'
import { timeText } from '../../replay/times.ts'

type SurveyedRange = Readonly<{ from: number; to: number }>

export function surveyText(range: SurveyedRange, { counts, held, gaps }: Survey): string {
  const sum = (its: Survey['counts']) => ({
    records: its.reduce((total, { records }) => total + records, 0),
    bytes: its.reduce((total, { bytes }) => total + bytes, 0),
  })
  const line = (label: string, { records, bytes }: Readonly<{ records: number; bytes: number }>) =>
    `${label.padEnd(24)}${records.toLocaleString('en').padStart(14)} records  ${bytesText(bytes).padStart(10)}`
  const ofTopics = held.flatMap(({ topic, held: its }) => {
    const own = counts.filter((count) => count.topic === topic)
    const sorted = [...own].sort((left, right) => right.records - left.records)
    return [
      '',
      line(topic, sum(own)),
      ...(its === null ? [] : [`  the log holds ${timeText(its.from)} to ${timeText(its.to)}`]),
      ...sorted.map((count) => line(`  ${count.type}`, count)),
    ]
  })
  const seconds = quietMsMax / 1000
  const ofGaps = gaps.map(
    ({ stage, from, to }) => `  ${stage}  ${timeText(from)} to ${timeText(to)} (${Math.round((to - from) / 1000)} s)`,
  )
  return [
    `records with a knowledge time from ${timeText(range.from)} to ${timeText(range.to)}`,
    '',
    line('in all', sum(counts)),
    ...ofTopics,
    '',
    ofGaps.length === 0
      ? `no gap: each chain had a new block at least every ${seconds} s`
      : `gaps, without a new block for more than ${seconds} s:`,
    ...ofGaps,
  ].join('\n')
}

function bytesText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(units.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3))
  return power === 0 ? `${bytes} bytes` : `${(bytes / 1000 ** power).toFixed(1)} ${units[power]}`
}
