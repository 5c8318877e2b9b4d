/** Runs the commands about files of the log, and prints what they did. */
import { finishedDay } from '../../archive/days.ts'
import { exportDay } from '../../archive/export-day.ts'
import type { Manifest } from '../../archive/manifest.ts'
import { verifyArchive } from '../../archive/verify.ts'
import type { Config } from '../../config.ts'
import { refuseUnfinishedRestore } from '../../data-dir/unfinished-restore.ts'
import { logSettings, openLogReader } from '../../log/open-log.ts'
import { archivedStages } from '../../replay/replayed-topics.ts'
import { timeText } from '../../replay/times.ts'
import type { Console } from '../console.ts'

export type Running = Readonly<{ config: Config; logger: Console['logger']; signal: AbortSignal }>

export const print = (...lines: readonly string[]): void => void process.stdout.write(`${lines.join('\n')}\n`)

type ExportArguments = Readonly<{ day: string; folder: string }>

export async function runExport({ day: dayText, folder }: ExportArguments, running: Running): Promise<void> {
  const { config, logger, signal } = running
  const day = finishedDay(dayText, Date.now())
  refuseUnfinishedRestore(config.DATA_DIR)
  const open = await openLogReader(logSettings(config, { nowMs: Date.now, logger }))
  try {
    const stages = archivedStages(config)
    const made = await exportDay({ ...{ open, stages, folder, day, signal }, form: 'archive', nowMs: Date.now })
    print(`exported ${day.name} to ${folder}: ${sizeOf([made])}`, ...gapLines(made.stages))
    print('The files contain posts of chats, and ids of chats and posters. Do not share them.')
  } finally {
    await open.close()
  }
}

/** Returns false if a file is wrong. */
export async function runVerify(folder: string, signal: AbortSignal): Promise<boolean> {
  const { manifests, faults } = await verifyArchive(folder, signal)
  if (faults.length > 0) print(...faults)
  else print(`${folder} is whole: ${sizeOf(manifests)}, ${daysText(manifests)}`)
  return faults.length === 0
}

export const daysText = (manifests: readonly Manifest[]): string =>
  manifests.length === 1
    ? `the day ${manifests[0]?.day}`
    : `${manifests.length} days from ${manifests[0]?.day} to ${manifests.at(-1)?.day}`

export function sizeOf(manifests: readonly Manifest[]): string {
  const files = manifests.flatMap(({ files: its }) => its)
  const rows = files.reduce((sum, file) => sum + file.rows, 0)
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  return `${rows.toLocaleString('en')} records in ${files.length} files with ${(bytes / 1e6).toFixed(1)} MB`
}

const gapLines = (stages: Manifest['stages']): readonly string[] =>
  stages.flatMap(({ stage, gaps }) =>
    gaps.map(({ from, to }) => `gap: ${stage} has no tick from ${timeText(from)} to ${timeText(to)}`),
  )
