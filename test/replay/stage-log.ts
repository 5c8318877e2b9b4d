/** Appends facts to a log and reads derived records from it, for tests that run tasks of any stage. */

import { pino } from 'pino'
import { prepareSchemas } from '../../infra/codec/prepare-schemas.ts'
import { createMemoryRegistry } from '../../infra/codec/registry/schema-table.ts'
import type { SchemaCodec, SchemaRegistry } from '../../infra/codec/schema-codec.ts'
import type { Log, NewRecord } from '../../infra/log/log.ts'
import { readAll as batchesOf } from '../../infra/log/read-back.ts'
import { packRecords, RecordBatch } from '../../infra/log/record-batch.ts'
import { runTask } from '../../processors/runtime/run-task.ts'
import type { RunnableStage } from '../../processors/runtime/runnable-stage.ts'
import { createStageCodecs, type StageCodecs } from '../../processors/runtime/stage-codecs.ts'
import type { StageDependencies } from '../../processors/runtime/task.ts'
import type { Stage, StageTypes } from '../../schemas/stage.ts'
import { type TopicName, type TopicTable, topics } from '../../schemas/topics.ts'
import { type KeyedRecord, lastSeqOf } from './keyed-record.ts'

/** A stage and the codecs of its topics. */
export type OpenStage<Types extends StageTypes> = RunnableStage<Types> & StageCodecs<Types>

/**
 * Opens a stage. Its schemas get the same ids as in every new log, so that two logs with equal records have
 * equal bytes.
 */
export async function openStage<Types extends StageTypes>(
  runnable: RunnableStage<Types>,
  registry: SchemaRegistry = createMemoryRegistry(),
  topicTable: TopicTable = topics,
): Promise<OpenStage<Types>> {
  await prepareSchemas(registry, topicTable)
  return { ...runnable, ...(await createStageCodecs(runnable, registry)) }
}

type FactsTarget<Types extends StageTypes> = Readonly<{
  stage: Stage<Types>
  factCodec: SchemaCodec
  log: Log
  partition: number
}>

/** Appends each tick together with the records before it, as ingest does. An append can have several ticks. */
export async function appendFacts<Types extends StageTypes>(
  { stage, factCodec, log, partition }: FactsTarget<Types>,
  records: readonly KeyedRecord<NoInfer<Types>>[],
  ticksPerAppend = 1,
): Promise<void> {
  const writer = await log.openWriter(`ingest-${stage.name}`)
  let open: NewRecord[] = []
  const tickCount = lastSeqOf(records)
  let ticks = 0
  for (const { key, record } of records) {
    const value = factCodec.encode(record.type, record.data)
    open.push({ topic: stage.factTopic.name, partition, key, value })
    if (record.type !== 'Tick' || (++ticks % ticksPerAppend !== 0 && ticks < tickCount)) continue
    await writer.append(open)
    open = []
  }
}

export const silentLogger = pino({ level: 'silent' })

export type RunOptions = Partial<StageDependencies> & Pick<StageDependencies, 'log'>

/**
 * Runs a task until the tick `seq` is committed, or computed again after a restart. By default, the clock is
 * always at 0 and no snapshots are written.
 */
export async function runUntil<Types extends StageTypes>(
  { partition, ...open }: OpenStage<Types> & Readonly<{ partition: number }>,
  seq: number,
  options: RunOptions,
): Promise<void> {
  const stop = new AbortController()
  const dependencies: StageDependencies = {
    ...open,
    nowMs: () => 0,
    logger: silentLogger,
    snapshotEveryMs: Number.POSITIVE_INFINITY,
    ...options,
    onProgress: (progress) => {
      options.onProgress?.(progress)
      if (progress.seq >= seq) stop.abort()
    },
  }
  await runTask(dependencies, partition, stop.signal)
}

/** Returns a log of which each read returns at most `appends` appends. */
export const inBatchesOf = (log: Log, appends: number): Log => ({
  ...log,
  async read(from) {
    const batches = []
    let { offset } = from
    while (batches.length < appends) {
      const [batch] = await log.read({ ...from, offset }, { bytesMax: 1 })
      if (!batch) break
      batches.push(batch)
      offset = batch.nextOffset
    }
    return batches
  },
})

/**
 * Returns a log in which the batches of `topic` have other sizes. Each batch has `recordCount` records,
 * except the last one.
 */
export const repacked = (log: Log, topic: TopicName, recordCount: number): Log => ({
  ...log,
  async read(from, options) {
    if (from.topic !== topic) return log.read(from, options)
    const stored: StoredRecord[] = []
    let { offset } = from
    while (stored.length < recordCount) {
      const [batch] = await log.read({ ...from, offset }, { bytesMax: 1 })
      if (!batch) break
      stored.push(...recordsIn(batch))
      offset = batch.nextOffset
    }
    const packed = stored.slice(0, recordCount)
    const [first] = packed
    if (!first) return []
    const offsetDeltas = Uint32Array.from(packed, (its) => its.offset - first.offset)
    const block = { bytes: packRecords(packed), count: packed.length, firstOffset: first.offset, timestampMs: 0 }
    return [new RecordBatch({ ...block, offsetDeltas })]
  },
})

export type StoredRecord = Readonly<{ offset: number; key: string; value: Buffer | null }>

/** Reads every committed record of a partition, in order. */
export async function readAll(log: Log, topic: TopicName, partition: number): Promise<StoredRecord[]> {
  const stored: StoredRecord[] = []
  for await (const batch of batchesOf(log, { topic, partition })) stored.push(...recordsIn(batch))
  return stored
}

const recordsIn = (batch: RecordBatch): StoredRecord[] =>
  Array.from({ length: batch.count }, (_, at) => ({
    offset: batch.offsetAt(at),
    key: batch.keyAt(at),
    value: batch.valueAt(at),
  }))

/**
 * Returns the keys and values of the stage's derived partition in order, as text. Equal runs must have equal
 * bytes.
 */
export async function derivedBytes(
  log: Log,
  { derivedTopic }: Pick<Stage, 'derivedTopic'>,
  partition: number,
): Promise<string[]> {
  const stored = await readAll(log, derivedTopic.name, partition)
  return stored.map(({ key, value }) => `${key} ${value?.toString('hex')}`)
}
