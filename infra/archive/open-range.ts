/** Opens the files that hold a range of knowledge time, as a log. */

import { OperationError } from '../errors.ts'
import type { OpenReader } from '../log/open-log.ts'
import { timeText } from '../replay/times.ts'
import { openArchive } from './archive-log.ts'
import { dayAt } from './days.ts'
import { archiveInvalid, type Manifest } from './manifest.ts'
import { manifestsIn } from './verify.ts'

/**
 * Opens the days around the range that follow each other. Fails with `range_not_held` if a day of the range is missing,
 * and with `archive_invalid` if a manifest is damaged.
 */
export async function openArchiveRange(
  folder: string,
  range: Readonly<{ from: number; to: number }>,
): Promise<OpenReader> {
  const { manifests, faults } = await manifestsIn(folder)
  if (faults.length > 0) throw archiveInvalid(`${faults.join('. ')}. Run "launch-data verify ${folder}"`)
  const days = daysAround(range.from, manifests)
  const [first, last] = [days[0], days.at(-1)]
  const held = first && last ? { from: Date.parse(first.day), to: dayAt(Date.parse(last.day)).to } : null
  if (held === null || range.to > held.to)
    throw new OperationError(
      'range_not_held',
      `${folder} does not hold ${timeText(range.from)} to ${timeText(range.to)}. It has the days ${manifests.map(({ day }) => day).join(', ')}. Export the missing days, or choose a range within these days`,
    )
  return { ...openArchive(folder, days), wholeRange: held }
}

/** The days that follow each other, among them that of the instant. None if that day is missing. */
function daysAround(atMs: number, manifests: readonly Manifest[]): readonly Manifest[] {
  const index = manifests.findIndex(({ day }) => day === dayAt(atMs).name)
  if (index < 0) return []
  const follows = (at: number) =>
    Date.parse(manifests[at]?.day ?? '') === dayAt(Date.parse(manifests[at - 1]?.day ?? '')).to
  let [from, end] = [index, index + 1]
  while (from > 0 && follows(from)) from--
  while (end < manifests.length && follows(end)) end++
  return manifests.slice(from, end)
}
