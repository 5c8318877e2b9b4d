/** Runs the commands about files of the log, and prints what they did. */
import type { Form } from '../../archive/columns.ts'
import { finishedDay } from '../../archive/days.ts'
import { exportDay, surveyDay } from '../../archive/export-day.ts'
import type { Manifest } from '../../archive/manifest.ts'
import { verifyArchive } from '../../archive/verify.ts'
import type { Config } from '../../config.ts'
import { findSecret } from '../../data-dir/secrets.ts'
import { refuseUnfinishedRestore } from '../../data-dir/unfinished-restore.ts'
import { OperationError } from '../../errors.ts'
import { logSettings, openLogReader } from '../../log/open-log.ts'
import { archivedStages, replayedStages } from '../../replay/replayed-topics.ts'
import { timeText } from '../../replay/times.ts'
import type { Console } from '../console.ts'

export type Running = Readonly<{ config: Config; logger: Console['logger']; signal: AbortSignal }>

export const print = (...lines: readonly string[]): void => void process.stdout.write(`${lines.join('\n')}\n`)

type ExportArguments = Readonly<{ day: string; folder?: string; form: Form; dry?: boolean }>

export async function runExport(options: ExportArguments, { config, logger, signal }: Running): Promise<void> {
  const { form, dry = false, folder = config.ARCHIVE_DIR } = options
  const day = finishedDay(options.day, Date.now())
  if (folder === undefined)
    throw new OperationError('config_invalid', 'an export needs a folder. Set --folder or ARCHIVE_DIR')
  refuseUnfinishedRestore(config.DATA_DIR)
  const ofForm = form === 'archive' ? { stages: archivedStages(config) } : await publicPart(config)
  const open = await openLogReader(logSettings(config, { nowMs: Date.now, logger }))
  try {
    const exporting = { ...{ open, folder, form, day, signal }, ...ofForm, nowMs: Date.now }
    if (dry) return printSurvey(await surveyDay(exporting))
    const made = await exportDay(exporting)
    print(`exported ${day.name} to ${folder}: ${sizeOf([made])}`, ...gapLines(made.stages))
    if (form === 'archive') print('The files contain posts of chats, and ids of chats and posters. Do not share them.')
  } finally {
    await open.close()
  }
}

/** The stages whose records may be shared, and the keys with which the service makes the ids in its answers. */
async function publicPart(config: Config) {
  const callerIds = config.CALLER_ID_SECRET ?? (await findSecret(config.DATA_DIR, 'caller-ids'))
  const ruleIds = config.RULE_ID_SECRET ?? (await findSecret(config.DATA_DIR, 'rule-ids'))
  if (callerIds === null || ruleIds === null)
    throw new OperationError(
      'config_invalid',
      'public files have the ids of answers, but DATA_DIR has no secrets of a service. Set CALLER_ID_SECRET and RULE_ID_SECRET as for the service',
    )
  return { stages: replayedStages(config), secrets: { callerIds, ruleIds } }
}

function printSurvey({ topics, stages }: Awaited<ReturnType<typeof surveyDay>>): void {
  for (const { topic, rows, logBytes } of topics)
    print(
      `${topic.padEnd(24)}${rows.toLocaleString('en').padStart(14)} records  ${(logBytes / 1e6).toFixed(1)} MB in the log`,
    )
  const gaps = gapLines(stages)
  print(...(gaps.length === 0 ? ['no gap: no stage was without a new block for more than a minute'] : gaps))
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
    gaps.map(({ from, to }) => `gap: ${stage} has no new block from ${timeText(from)} to ${timeText(to)}`),
  )
