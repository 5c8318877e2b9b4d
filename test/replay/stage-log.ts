/** Facts onto a log and derived records off it, for tests that run tasks. */

import { pino } from 'pino'
import { prepareSchemas } from '../../infra/codec/prepare-schemas.ts'
import { createMemoryRegistry } from '../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec, type SchemaCodec, type SchemaRegistry } from '../../infra/codec/schema-codec.ts'
import type { Log, NewRecord } from '../../infra/log/log.ts'
import { readAll as batchesOf } from '../../infra/log/read-back.ts'
import { chainAViews } from '../../processors/chain-a/views/views.ts'
import { runTask } from '../../processors/runtime/run-task.ts'
import type { StageDependencies } from '../../processors/runtime/task.ts'
import type { ChainADerivedRecord } from '../../schemas/chain-a/derived.ts'
import type { ChainARecord } from '../../schemas/chain-a/facts.ts'
import { rulesVersion } from '../../schemas/chain-a/rules.ts'
import { type TopicName, topics } from '../../schemas/topics.ts'
import type { KeyedRecord } from './recut.ts'

export type Codecs = Readonly<{ factCodec: SchemaCodec<ChainARecord>; derivedCodec: SchemaCodec<ChainADerivedRecord> }>

/** Schemas get the ids that every fresh log gives them, so that two logs made alike have equal bytes. */
export async function createCodecs(registry: SchemaRegistry = createMemoryRegistry()): Promise<Codecs> {
  await prepareSchemas(registry, topics)
  return {
    factCodec: await createSchemaCodec<ChainARecord>(topics['chain-a-facts'], registry, chainAViews),
    derivedCodec: await createSchemaCodec<ChainADerivedRecord>(topics['chain-a-derived'], registry),
  }
}

export type FactsTarget = Readonly<{ log: Log; codecs: Codecs; partition: number }>

/** Each tick and what stands before it is one append, as ingest makes it. */
export async function appendFacts(
  { log, codecs, partition }: FactsTarget,
  records: readonly KeyedRecord[],
): Promise<void> {
  const writer = await log.openWriter('ingest-chain-a')
  let open: NewRecord[] = []
  for (const { key, record } of records) {
    const value = codecs.factCodec.encode(record.type, record.data)
    open.push({ topic: 'chain-a-facts', partition, key, value })
    if (record.type !== 'Tick') continue
    await writer.append(open)
    open = []
  }
}

export const silentLogger = pino({ level: 'silent' })

export type RunOptions = Partial<StageDependencies> & Pick<StageDependencies, 'log' | 'processors'>

/** Runs a task until it has committed, or folded again, the tick. Its clock stands still: snapshots are due always or never. */
export async function runUntil(
  target: Readonly<{ codecs: Codecs; partition: number }>,
  seq: number,
  options: RunOptions,
): Promise<void> {
  const stop = new AbortController()
  const dependencies: StageDependencies = {
    ...target.codecs,
    rulesVersion,
    nowMs: () => 0,
    logger: silentLogger,
    snapshotEveryMs: Number.POSITIVE_INFINITY,
    ...options,
    onProgress: (progress) => {
      options.onProgress?.(progress)
      if (progress.seq >= seq) stop.abort()
    },
  }
  await runTask(dependencies, target.partition, stop.signal)
}

/** A log that hands out at most so many appends at a time. */
export const inBatchesOf = (log: Log, appends: number): Log => ({
  ...log,
  async read(position) {
    const batches = []
    let { offset } = position
    while (batches.length < appends) {
      const [batch] = await log.read({ ...position, offset }, { bytesMax: 1 })
      if (!batch) break
      batches.push(batch)
      offset = batch.nextOffset
    }
    return batches
  },
})

export type StoredRecord = Readonly<{ offset: number; key: string; value: Buffer | null }>

/** Every committed record of a partition, in order. */
export async function readAll(log: Log, topic: TopicName, partition: number): Promise<StoredRecord[]> {
  const stored: StoredRecord[] = []
  for await (const batch of batchesOf(log, { topic, partition }))
    for (let at = 0; at < batch.count; at++)
      stored.push({ offset: batch.offsetAt(at), key: batch.keyAt(at), value: batch.valueAt(at) })
  return stored
}

/** Key, value and order of the derived partition as text: what must be equal byte for byte. */
export async function derivedBytes(log: Log, partition: number): Promise<string[]> {
  const stored = await readAll(log, 'chain-a-derived', partition)
  return stored.map(({ key, value }) => `${key} ${value?.toString('hex')}`)
}
