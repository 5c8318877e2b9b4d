/** Appends the records of archive files to an empty log. Keys, bytes, times of publication and order stay the same. */
import type { TopicName } from '../../schemas/topics.ts'
import type { EpochMs } from '../../schemas/units.ts'
import { type SchemaRegistry, subjectOf } from '../codec/schema-codec.ts'
import { OperationError } from '../errors.ts'
import type { Log, LogReader, LogWriter, NewRecord } from '../log/log.ts'
import { readAll } from '../log/read-back.ts'
import type { RecordBatch } from '../log/record-batch.ts'
import { openArchive } from './archive-log.ts'
import { archiveInvalid, type Manifest } from './manifest.ts'
import { verifyArchive } from './verify.ts'

/** The log that gets the records. Before each append, `atPublished` sets the clock of that log. */
type ImportTarget = Readonly<{
  log: Log
  registry: SchemaRegistry
  atPublished(publishedAtMs: EpochMs): void
}>

type Importing = Readonly<{ folder: string; target: ImportTarget; signal: AbortSignal }>

export type Imported = Readonly<{
  manifests: readonly Manifest[]
  records: number
  /** The number of schemas that have another id in this log. Their records have the new id. */
  newIds: number
}>

/**
 * Checks all files first. Fails with `archive_invalid` if a file is wrong, and with `import_target_used` if the log
 * already has records of a topic of the files.
 */
export async function importArchive({ folder, target, signal }: Importing): Promise<Imported> {
  const { manifests, faults } = await verifyArchive(folder, signal)
  if (faults.length > 0)
    throw archiveInvalid(`${faults.join('. ')}. Nothing was imported. Restore the files, or export their days again`)
  const source = openArchive(folder, manifests)
  const partitions = partitionsIn(manifests)
  for (const { topic, partition } of partitions)
    if ((await target.log.bounds(topic, partition)).endOffset > 0) throw targetUsed(topic)
  const ids = await idsIn(manifests, target.registry)
  const writer = await target.log.openWriter('import')
  let records = 0
  try {
    for await (const { publishedAtMs, batches } of mergePublished(source.log, partitions)) {
      signal.throwIfAborted()
      target.atPublished(publishedAtMs)
      records += await append(writer, batches, ids)
    }
  } finally {
    await writer.close()
    await source.close()
  }
  return { manifests, records, newIds: [...ids].filter(([id, newId]) => !id.endsWith(` ${newId}`)).length }
}

type Partition = Readonly<{ topic: TopicName; partition: number }>

function partitionsIn(manifests: readonly Manifest[]): readonly Partition[] {
  const files = manifests.flatMap((manifest) => manifest.files)
  return [...new Map(files.map(({ topic, partition }) => [`${topic}/${partition}`, { topic, partition }])).values()]
}

/** Registers the schemas of the files. Returns the id in the target for each topic and id of the files. */
async function idsIn(manifests: readonly Manifest[], registry: SchemaRegistry): Promise<ReadonlyMap<string, number>> {
  const schemas = manifests.flatMap((manifest) => manifest.schemas)
  const ids = new Map<string, number>()
  for (const { topic, id, schema } of schemas.sort((left, right) => left.id - right.id))
    if (!ids.has(`${topic} ${id}`)) ids.set(`${topic} ${id}`, await registry.register(subjectOf(topic, schema), schema))
  return ids
}

type PlacedBatch = Partition & Readonly<{ batch: RecordBatch }>
type Published = Readonly<{ publishedAtMs: EpochMs; batches: readonly PlacedBatch[] }>

/**
 * Merges the partitions, so that the records of all partitions that were published at the same time are appended
 * together. Otherwise each partition would need its own commits.
 */
async function* mergePublished(log: LogReader, partitions: readonly Partition[]): AsyncGenerator<Published> {
  const heads = partitions.map((place) => ({ place, batches: readAll(log, place), next: null as RecordBatch | null }))
  const advance = async (head: (typeof heads)[number]) => {
    const { done, value } = await head.batches.next()
    head.next = done ? null : value
  }
  for (const head of heads) await advance(head)
  for (;;) {
    const publishedAtMs = Math.min(...heads.map(({ next }) => next?.timestampMsAt(0) ?? Number.POSITIVE_INFINITY))
    if (publishedAtMs === Number.POSITIVE_INFINITY) return
    const due = heads.filter(({ next }) => next?.timestampMsAt(0) === publishedAtMs)
    yield { publishedAtMs, batches: due.map(({ place, next }) => ({ ...place, batch: next as RecordBatch })) }
    for (const head of due) await advance(head)
  }
}

async function append(writer: LogWriter, batches: readonly PlacedBatch[], ids: ReadonlyMap<string, number>) {
  const records = batches.flatMap(({ batch, topic, partition }) =>
    Array.from({ length: batch.count }, (_, index): NewRecord => {
      const value = withId(batch.valueAt(index) as Buffer, (id) => ids.get(`${topic} ${id}`) ?? id)
      return { topic, partition, key: batch.keyAt(index), value }
    }),
  )
  await writer.append(records)
  return records.length
}

/** The value with the id that its schema has in the target. Without a new id, the value itself. */
function withId(value: Buffer, newIdOf: (id: number) => number): Buffer {
  const id = value.readUInt32BE(1)
  const newId = newIdOf(id)
  if (newId === id) return value
  const changed = Buffer.from(value)
  changed.writeUInt32BE(newId, 1)
  return changed
}

const targetUsed = (topic: TopicName): OperationError =>
  new OperationError(
    'import_target_used',
    `the log already has records of ${topic}. Import into an empty log: set DATA_DIR to a new folder, or on Kafka another KAFKA_TOPIC_PREFIX`,
  )
