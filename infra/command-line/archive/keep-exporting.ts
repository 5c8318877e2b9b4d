/**
 * Exports each finished day to `ARCHIVE_DIR` while the service runs. Each export is a process of its own with a low
 * priority, so that it does not delay the service.
 */
import { spawn } from 'node:child_process'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type DurationMs, dayMs, type EpochMs, hourMs } from '../../../schemas/units.ts'
import { dayAt } from '../../archive/days.ts'
import { daysIn } from '../../archive/manifest.ts'
import type { Console } from '../console.ts'

export type Keeping = Readonly<{
  folder: string
  logger: Pick<Console['logger'], 'info' | 'error'>
  signal: AbortSignal
  nowMs(): EpochMs
  delay(durationMs: DurationMs, signal: AbortSignal): Promise<void>
  /** Called after each look with the number of days that failed. */
  onLook(failedDays: number): void
  /** Exports a day. Returns the text of the failure, or null. */
  exportDay(day: string): Promise<string | null>
}>

const lookEveryMs = hourMs / 2
/** The log keeps facts for this number of days. */
const daysKept = 7

/**
 * Exports until the signal aborts. A failure is logged, and the day is tried again at the next look. A folder that cannot
 * be used is also tried again. Never rejects.
 */
export async function keepExporting(keeping: Keeping): Promise<void> {
  const { folder, logger, signal, onLook, delay } = keeping
  /** The days on which no stage ran. */
  const empty = new Set<string>()
  let isFirst = true
  while (!signal.aborted) {
    try {
      if (isFirst) await removeDrafts(folder)
      isFirst = false
      onLook(await look(keeping, empty))
    } catch (error) {
      logger.error(
        { err: error },
        `${folder} cannot be used, so no day was exported. Correct ARCHIVE_DIR or the folder`,
      )
      onLook(1)
    }
    await delay(lookEveryMs, signal)
  }
}

/** Exports the finished days that the folder lacks, and adds to `empty`. Returns the number of days that failed. */
async function look(keeping: Keeping, empty: Set<string>): Promise<number> {
  const { folder, signal, nowMs } = keeping
  const done = new Set(await daysIn(folder))
  let failed = 0
  for (const day of finishedDays(nowMs()).filter((name) => !done.has(name) && !empty.has(name))) {
    if (signal.aborted) break
    const result = await exportOne(day, keeping)
    if (result === 'empty') empty.add(day)
    if (result === 'failed') failed++
  }
  return failed
}

const finishedDays = (nowMs: EpochMs): readonly string[] =>
  Array.from({ length: daysKept }, (_, index) => dayAt(nowMs - (daysKept - index) * dayMs).name)

type Result = 'exported' | 'empty' | 'not yet' | 'failed'

async function exportOne(day: string, { folder, logger, signal, exportDay }: Keeping): Promise<Result> {
  const failure = await exportDay(day)
  if (failure === null) {
    logger.info(`exported the day ${day} to ${folder}`)
    return 'exported'
  }
  if (failure.includes('(nothing_found)')) return 'empty'
  // A stop of the service also stops its export.
  if (signal.aborted) return 'not yet'
  // The stages are still behind, or the service began later. Both are normal.
  if (failure.includes('(range_not_held)')) {
    logger.info(`the day ${day} is not exported yet. ${failure}`)
    return 'not yet'
  }
  logger.error(`the day ${day} was not exported. ${failure}`)
  return 'failed'
}

/** Removes what an export left that was killed with the service. Later, another export may be running by hand. */
async function removeDrafts(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of await readdir(folder))
    if (name.startsWith('.unfinished-')) await rm(join(folder, name), { recursive: true, force: true })
}

const program = fileURLToPath(new URL('../launch-data.js', import.meta.url))
const lowPriority = 10

/** Does the same with the clock of the machine and with processes. */
export const exportFinishedDays = (
  folder: string,
  { logger, onLook, signal }: Pick<Keeping, 'logger' | 'onLook' | 'signal'>,
): Promise<void> =>
  keepExporting({
    ...{ folder, logger, onLook, signal },
    nowMs: Date.now,
    delay: (durationMs) => sleep(durationMs, undefined, { signal, ref: false }).catch(() => {}),
    exportDay: (day) => runExportProcess(['export', '--day', day, '--folder', folder], signal),
  })

function runExportProcess(argv: readonly string[], signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...argv], { stdio: ['ignore', 'ignore', 'pipe'], signal })
    let text = ''
    child.stderr.setEncoding('utf8').on('data', (part) => {
      text += part
    })
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code) => resolve(code === 0 ? null : text.trim()))
    if (child.pid !== undefined) setPriority(child.pid, lowPriority)
  })
}
