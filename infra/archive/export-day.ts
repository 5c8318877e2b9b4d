/**
 * Writes the records of one day to Parquet files. The files are written to another folder and renamed when they are
 * complete, and the manifest is written last. So a day with a manifest is always whole.
 */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chmod, mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { EpochMs } from '../../schemas/units.ts'
import { syncFiles } from '../backup/files.ts'
import { interrupted } from '../backup/interrupted.ts'
import { syncFolder } from '../data-dir/sync-folder.ts'
import { hasCode, OperationError } from '../errors.ts'
import { ruleScopeOf } from '../public-ids.ts'
import type { ReplayedStage } from '../replay/replayed-topics.ts'
import { columnsOf, type Form, type TopicColumns } from './columns.ts'
import type { Day } from './days.ts'
import { type DayPartition, type FoundDay, findDay, type ReadLog, ticksOfDay } from './find-day.ts'
import { daysIn, type FiledPartition, type Manifest, manifestFolder, readManifest, writeManifest } from './manifest.ts'
import { type PublicSecrets, publicRecords } from './public-records.ts'
import { createStageDays } from './stage-days.ts'
import { filedRecordsOf, summarize, writePartition } from './write-partition.ts'

export type Exporting = Readonly<{
  open: ReadLog
  stages: readonly ReplayedStage[]
  folder: string
  form: Form
  /** The keys of the ids in public files. Archives need none. */
  secrets?: PublicSecrets
  day: Day
  nowMs: () => EpochMs
  signal: AbortSignal
}>

const folderMode = (form: Form): number => (form === 'archive' ? 0o700 : 0o755)
const draftOf = ({ folder, day }: Exporting): string => join(folder, `.unfinished-${day.name}`)

/**
 * Fails with `folder_unusable` if the folder already has the day, has files of the other form, or may be read by others.
 * Fails with `range_not_held` if the log does not hold the whole day, and with `nothing_found` if no stage ran on it.
 * After a failure, no part of the day is left. If the process is killed, `.unfinished-<day>` is left in the folder.
 */
export async function exportDay(exporting: Exporting): Promise<Manifest> {
  const { folder, form, signal } = exporting
  const found = await dayOf(exporting)
  await mkdir(folder, { recursive: true, mode: folderMode(form) })
  await checkFolder(exporting)
  const draft = draftOf(exporting)
  await mkdir(draft, { mode: folderMode(form) }).catch((error: unknown) => {
    if (!hasCode(error) || error.code !== 'EEXIST') throw error
    throw unusable(
      `${draft} is left from an export that was interrupted, or another export is writing to it. If no export is running, delete it`,
    )
  })
  try {
    const manifest = await writeFiles(draft, found, exporting)
    signal.throwIfAborted()
    await publish(draft, manifest, exporting)
    return manifest
  } catch (error) {
    throw signal.aborted ? interrupted('export', error) : error
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** What an export of the day would write. Writes nothing. */
export async function surveyDay(exporting: Exporting): Promise<Pick<Manifest, 'stages'> & Survey> {
  const { partitions, stopped } = await dayOf(exporting)
  if (existsSync(exporting.folder)) await checkFolder(exporting)
  const stageDays = createStageDays(exporting.day, stopped)
  const counts = new Map<string, ReturnType<typeof summarize>>()
  for (const partition of partitions) {
    const note = stageDays.noteOf(partition)
    const summary = counts.get(partition.topic.name) ?? summarize()
    counts.set(partition.topic.name, summary)
    for await (const closed of ticksOfDay(partition, exporting.signal)) {
      note(closed)
      for (const record of filedRecordsOf(partition, closed)) summary.add(record)
    }
  }
  const topics = [...counts].map(([topic, summary]) => ({ topic, ...summary.get() }))
  return { topics, stages: stageDays.stages() }
}

type Survey = Readonly<{ topics: readonly Readonly<{ topic: string; rows: number; logBytes: number }>[] }>

async function dayOf({ open, stages, day, nowMs }: Exporting): Promise<FoundDay> {
  const found = await findDay(open, stages, { day, nowMs: nowMs() })
  if (found.partitions.length > 0) return found
  throw new OperationError(
    'nothing_found',
    `the log has no records of the day ${day.name}. Choose a day on which the service ran`,
  )
}

async function checkFolder({ folder, form, day }: Exporting): Promise<void> {
  const { mode } = await stat(folder)
  if (form === 'archive' && (mode & 0o077) !== 0)
    throw unusable(`others may read ${folder}, but an archive contains posts of chats. Run: chmod 700 ${folder}`)
  const days = await daysIn(folder)
  if (days.includes(day.name))
    throw unusable(`${folder} already has the day ${day.name}. Choose another day or another folder`)
  const [first] = days
  const other = first === undefined ? form : (await readManifest(folder, first)).form
  if (other !== form)
    throw unusable(`${folder} has files of the form ${other}. Choose another folder for files of the form ${form}`)
}

async function writeFiles(draft: string, found: FoundDay, exporting: Exporting): Promise<Manifest> {
  const { open, form, day, nowMs, signal } = exporting
  const stageDays = createStageDays(day, found.stopped)
  const files: FiledPartition[] = []
  for (const partition of found.partitions) {
    const columns = presentedColumns(partition, exporting)
    const onTick = stageDays.noteOf(partition)
    files.push(await writePartition(partition, { folder: draft, day, columns, mode: folderMode(form), signal, onTick }))
  }
  await syncFiles(
    draft,
    files.map(({ path }) => path),
  )
  const schemas = await stageDays.schemas(open.registry)
  const madeAt = new Date(nowMs()).toISOString()
  return { format: 1, form, day: day.name, madeAt, stages: stageDays.stages(), schemas, files }
}

function presentedColumns({ topic, stage }: DayPartition, { form, secrets }: Exporting): TopicColumns {
  const columns = columnsOf(topic, form)
  if (form === 'archive') return columns
  assert(topic.isExportable && secrets, 'public files have only topics that may be given to others')
  const present = publicRecords(topic, { ...secrets, ruleScope: ruleScopeOf(stage.name) })
  return { ...columns, rowOf: (record) => columns.rowOf(present(record)) }
}

/** Moves the files into the folder, and the manifest last. A day without a manifest counts as not exported. */
async function publish(draft: string, manifest: Manifest, { folder, form, day }: Exporting): Promise<void> {
  const mode = folderMode(form)
  const places = [...new Set(manifest.files.map(({ path }) => dirname(path)))]
  for (const place of places) {
    await mkdir(dirname(join(folder, place)), { recursive: true, mode })
    // Without a manifest of the day, such a folder is left from an export that was killed at this point.
    await rm(join(folder, place), { recursive: true, force: true })
    await rename(join(draft, place), join(folder, place))
    syncFolder(dirname(join(folder, place)))
  }
  const { format: _, ...content } = manifest
  const file = join(draft, 'manifest.json')
  await writeManifest(file, content)
  if (form === 'public') await chmod(file, 0o644)
  await mkdir(join(folder, manifestFolder), { recursive: true, mode })
  await rename(file, join(folder, manifestFolder, `${day.name}.json`))
  for (const changed of [join(folder, manifestFolder), folder]) syncFolder(changed)
}

const unusable = (message: string): OperationError => new OperationError('folder_unusable', message)
