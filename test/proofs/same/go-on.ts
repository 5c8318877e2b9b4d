/**
 * Continues a data directory of another commit with this code. The service must go on where the other commit
 * ended, and must not rebuild anything.
 */
import { fileURLToPath } from 'node:url'
import {
  isHourly,
  type OpenLog,
  openRecordedLog,
  openTables,
  placeName,
  recordItems,
  resumeOffsets,
  rowsOfTopic,
  stages,
  ticksOf,
} from './now.ts'
import { environment, type RecordedAnswer } from './recording.ts'
import { startService } from './running-service.ts'
import { buyAnswers } from './shop.ts'
import { oldName, type Progress, progressOf, rowsOf, tableIds, tableNames } from './tables.ts'
import { claim, compareItems, type Print, type Verdict } from './verdict.ts'

type GoingOn = Readonly<{
  /** The data directory that the service writes to. */
  dataDir: string
  /** The recorded log before the service runs. */
  recorded: OpenLog
  /** The digests of the old tables. */
  compared: readonly Verdict[]
  logFile: string
  print: Print
}>

const checkout = fileURLToPath(new URL('../../..', import.meta.url))

export async function goOn(options: GoingOn): Promise<readonly Verdict[]> {
  const { dataDir, recorded } = options
  const snapshots = await compareSnapshots(dataDir)
  const before = await stateOf(dataDir)
  const run = await runAgain(options)
  const after = await stateOf(dataDir)
  const open = await openRecordedLog(dataDir)
  try {
    const verdicts = [snapshots, ...run]
    for (const { factTopic, derivedTopic, partitions } of stages)
      for (const place of [factTopic, derivedTopic].flatMap((topic) =>
        partitions.map((partition) => ({ topic, partition })),
      )) {
        const both = { old: recordItems(recorded.log, place), now: recordItems(open.log, place) }
        verdicts.push(await compareItems(`gone on: ${placeName(place)} up to the stop`, both, { mayGoOn: true }))
        verdicts.push(await compareSeqs(`gone on: ticks of ${placeName(place)} since`, [recorded, open], place))
      }
    const kept = new Set(after.ids.split('\n'))
    // New code may add tables, but the tables of the old code must be the same.
    const isKept = before.ids.split('\n').every((id) => kept.has(id))
    verdicts.push(claim('gone on: tables kept', before.ids.split('\n').length, isKept ? null : 'tables were made anew'))
    return [...verdicts, ...(await compareOldRows(options, before.progress))]
  } finally {
    await open.close()
  }
}

async function stateOf(dataDir: string): Promise<Readonly<{ ids: string; progress: readonly Progress[] }>> {
  const database = await openTables(dataDir)
  try {
    return { ids: await tableIds(database), progress: await progressOf(database) }
  } finally {
    await database.close()
  }
}

async function compareSnapshots(dataDir: string): Promise<Verdict> {
  const open = await openRecordedLog(dataDir)
  try {
    const offsets = (await Promise.all(stages.map((stage) => resumeOffsets(open, stage)))).flat()
    const anew = offsets.filter((offset) => offset === 0).length
    return claim(
      'gone on: tasks from a snapshot',
      offsets.length,
      anew === 0 ? null : `${anew} begin at the first fact`,
    )
  } finally {
    await open.close()
  }
}

/**
 * The time for which the service runs. It is longer than a minute, so that all periodic work runs at least
 * one time.
 */
const liveMs = 70_000
const answerCount = 28

/** Runs the service, and buys from every route. The service must not log any warning or error. */
async function runAgain({ dataDir, logFile, print }: GoingOn): Promise<readonly Verdict[]> {
  const startedAtMs = Date.now()
  const service = await startService({ checkout, environment: { ...environment, DATA_DIR: dataDir }, logFile })
  let count = 0
  let stale: string | null = null
  const onAnswer = async ({ path, cutAtMs }: RecordedAnswer) => {
    count++
    if (cutAtMs < startedAtMs) stale ??= `${path} is of ${cutAtMs}`
  }
  let failure: string | null = null
  try {
    await service.untilLive()
    print(`live on the old data directory after ${((Date.now() - startedAtMs) / 1000).toFixed(1)} s`)
    await buyAnswers(service.baseUrl, { answerCount, liveMs, curveTokens: [], onAnswer })
    await service.stop()
  } catch (error) {
    failure = String(error)
  } finally {
    await service.kill()
  }
  const [trouble = null] = service.troubles()
  return [
    claim('gone on: runs and ends', 1, failure),
    claim('gone on: answers bought', count, count < answerCount ? 'too few' : stale),
    claim('gone on: no warning, no error', 1, trouble),
  ]
}

type Both = readonly [old: OpenLog, now: OpenLog]

/** Checks that the new ticks continue the sequence numbers of the old ticks without a gap. */
async function compareSeqs(what: string, [old, now]: Both, place: Parameters<typeof ticksOf>[1]): Promise<Verdict> {
  const oldSeqs = (await ticksOf(old, place)).map(({ seq }) => seq)
  const seqs = (await ticksOf(now, place)).map(({ seq }) => seq).slice(oldSeqs.length)
  const first = (oldSeqs.at(-1) ?? 0) + 1
  const wrong = seqs.findIndex((seq, index) => seq !== first + index)
  if (seqs.length === 0) return claim(what, 0, 'there are none')
  return claim(what, seqs.length, wrong < 0 ? null : `tick ${seqs[wrong]} stands where ${first + wrong} is due`)
}

/** The rows from before the stop must still be there, beside the new ones. */
async function compareOldRows(
  { dataDir, compared }: GoingOn,
  progress: readonly Progress[],
): Promise<readonly Verdict[]> {
  const done = progress.filter(({ state }) => state === 'done')
  const oldRowsOf = (table: string): string => {
    const parts = done.flatMap(({ topic, partition, nextOffset }) => {
      const ofTopic = rowsOfTopic(table, topic)
      if (ofTopic === null) return []
      const isOld = `log_partition = ${partition} AND log_offset < ${nextOffset}`
      if (!isHourly(table)) return [`(${ofTopic} AND ${isOld})`]
      // An hourly list that was made after the stop can have the log offset of the last tick before the stop.
      // So its `known_at_ms` decides whether it is old.
      const ticks = `${oldName}.ticks WHERE topic = '${topic}' AND ${isOld}`
      return [`(${ofTopic} AND ${isOld} AND known_at_ms <= (SELECT max(known_at_ms) FROM ${ticks}))`]
    })
    return parts.join(' OR ')
  }
  const database = await openTables(dataDir)
  const verdicts: Verdict[] = []
  try {
    for (const table of await tableNames(database, oldName)) {
      if (table === 'watermarks') continue
      const rows = rowsOf({ database, name: oldName, table }, table === 'migrations' ? '1' : oldRowsOf(table))
      // A process has only one engine, so the old tables may already be closed. Their digests were computed
      // before.
      const now = await compareItems(table, { old: rows, now: [] })
      const before = compared.find(({ what }) => what === `table ${table}`)
      verdicts.push({
        ...now,
        what: `gone on: table ${table}, rows up to the stop`,
        old: before?.old ?? '',
        now: now.old,
        difference: before?.old === now.old ? null : `${before?.count} rows before, ${now.count} now`,
      })
    }
    return verdicts
  } finally {
    await database.close()
  }
}
