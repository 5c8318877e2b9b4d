/**
 * The index of all snapshots in the snapshots topic. It is the result of reading the keys of the topic from the first
 * offset on. Snapshots are large, so a start must not read them all. Therefore each save also appends the index
 * itself, as a record with the key `index`. A start reads the newest such record, and then only the later records.
 *
 * The index up to an offset is the same for every reader, so any task may append it. An older version of the service
 * ignores these records.
 */
import { z } from 'zod'
import { type Log, valueBytesMax } from '../../../infra/log/log.ts'
import { readLast, recordsFrom } from '../../../infra/log/read-back.ts'
import type { RecordBatch } from '../../../infra/log/record-batch.ts'

type SnapshotEntry = Readonly<{
  /** The offset of each chunk in the snapshots topic. Null: the chunk is missing. */
  chunks: readonly (number | null)[]
  /** The manifest is the record that completes a snapshot. Null if the snapshot was never finished. */
  manifest: string | null
}>

/** The snapshots of a task, by the `seq` of the tick after which each snapshot was taken. */
type SnapshotsOfTask = ReadonlyMap<number, SnapshotEntry>

export type SnapshotIndex = Readonly<{
  /** Reads the records that were appended since the last call. All tasks of a thread may share one index. */
  update(): Promise<void>
  /** The snapshots of a task, as of the last update, `add` or `remove`. */
  of(task: string): SnapshotsOfTask
  /** Adds a snapshot that was just appended. The offsets of its chunks are known only after the next update. */
  add(task: string, added: Readonly<{ seq: number; manifest: string; chunkCount: number }>): void
  /** Removes a snapshot whose removal was just appended. */
  remove(task: string, seq: number): void
  /** The index as a record of the topic, with its key and value. Null if the value would be too large for the log. */
  toRecord(): Readonly<{ key: string; value: Buffer }> | null
}>

const place = { topic: 'snapshots', partition: 0 } as const
const indexKey = 'index'

type Found = { chunks: (number | null)[]; manifest: string | null }
type Tasks = Map<string, Map<number, Found>>

export function createSnapshotIndex(log: Log): SnapshotIndex {
  let tasks: Tasks = new Map()
  /** The records before this offset are in the index. Null before the first update. */
  let nextOffset: number | null = null
  let updating: Promise<void> = Promise.resolve()

  const readOn = async () => {
    const { startOffset, endOffset: untilOffset } = await log.bounds(place.topic, place.partition)
    if (nextOffset === null) {
      const stored = await readStored(log)
      tasks = stored?.tasks ?? new Map()
      nextOffset = stored?.nextOffset ?? startOffset
    }
    for await (const batch of recordsFrom(log, { ...place, offset: nextOffset }, { untilOffset })) {
      collect(tasks, batch)
      nextOffset = batch.nextOffset
    }
  }

  return {
    update() {
      // Updates run one after the other. A failed update does not prevent the next one.
      updating = updating.catch(() => {}).then(readOn)
      return updating
    },
    of: (task) => snapshotsOf(tasks, task),
    add: (task, { seq, manifest, chunkCount }) =>
      void snapshotsOf(tasks, task).set(seq, { chunks: Array.from({ length: chunkCount }, () => null), manifest }),
    remove: (task, seq) => void snapshotsOf(tasks, task).delete(seq),
    toRecord() {
      const value = Buffer.from(JSON.stringify(toStored(tasks, nextOffset ?? 0)))
      return value.length > valueBytesMax ? null : { key: indexKey, value }
    },
  }
}

function snapshotsOf(tasks: Tasks, task: string): Map<number, Found> {
  const snapshots = tasks.get(task) ?? new Map<number, Found>()
  tasks.set(task, snapshots)
  return snapshots
}

function collect(tasks: Tasks, batch: RecordBatch): void {
  for (let at = 0; at < batch.count; at++) {
    const [task = '', seqText, part] = batch.keyAt(at).split('/')
    if (part === undefined) continue
    const snapshots = snapshotsOf(tasks, task)
    const seq = Number(seqText)
    const entry = snapshots.get(seq) ?? { chunks: [], manifest: null }
    snapshots.set(seq, entry)
    const value = batch.valueAt(at)
    if (part === 'manifest') entry.manifest = value?.toString() ?? null
    else entry.chunks[Number(part)] = value === null ? null : batch.offsetAt(at)
    if (entry.manifest === null && entry.chunks.every((offset) => offset === null)) snapshots.delete(seq)
  }
}

const storedSchema = z.object({
  nextOffset: z.number().int().nonnegative(),
  tasks: z.record(
    z.string(),
    z.array(
      z.object({
        seq: z.number().int(),
        /** The difference between the offsets of each chunk and the chunk before, which is short as text. */
        steps: z.array(z.number().int().nullable()),
        manifest: z.string().nullable(),
      }),
    ),
  ),
})
type Stored = z.infer<typeof storedSchema>

function toStored(tasks: Tasks, nextOffset: number): Stored {
  const entries = [...tasks].map(([task, snapshots]) => [
    task,
    [...snapshots].map(([seq, { chunks, manifest }]) => ({ seq, steps: stepsOf(chunks), manifest })),
  ])
  return { nextOffset, tasks: Object.fromEntries(entries) }
}

function fromStored({ nextOffset, tasks }: Stored): Readonly<{ nextOffset: number; tasks: Tasks }> {
  const entries = Object.entries(tasks).map(
    ([task, snapshots]) =>
      [
        task,
        new Map(snapshots.map(({ seq, steps, manifest }) => [seq, { chunks: chunksOf(steps), manifest }])),
      ] as const,
  )
  return { nextOffset, tasks: new Map(entries) }
}

function stepsOf(chunks: readonly (number | null)[]): (number | null)[] {
  let last = 0
  // `chunks` may lack elements. `Array.from` visits the missing elements too, but `map` would skip them.
  return Array.from(chunks, (offset) => {
    if (offset === null || offset === undefined) return null
    const step = offset - last
    last = offset
    return step
  })
}

function chunksOf(steps: readonly (number | null)[]): (number | null)[] {
  let last = 0
  return steps.map((step) => {
    if (step === null) return null
    last += step
    return last
  })
}

/**
 * Returns the newest stored index. Null if there is none, or if its record is not readable. The caller then builds
 * the index from all records.
 */
async function readStored(log: Log): Promise<ReturnType<typeof fromStored> | null> {
  // The record is almost always the last one, and the records before it are large.
  const found = await readLast(log, { ...place, firstStepCount: 1 }, (batch, at) => batch.keyAt(at) === indexKey)
  if (found === null) return null
  try {
    const stored = storedSchema.parse(JSON.parse(String(found.batch.valueAt(found.index))))
    return stored.nextOffset <= found.offset ? fromStored(stored) : null
  } catch {
    return null
  }
}
