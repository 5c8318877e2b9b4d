/** Measures when each tick of a running service passed each point between its append and an answer. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../../infra/clickhouse/database.ts'
import { createSchemaCodec } from '../../../infra/codec/schema-codec.ts'
import type { OpenLog } from '../../../infra/log/open-log.ts'
import type { RecordBatch } from '../../../infra/log/record-batch.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { isTick, type StageRecord } from '../../../schemas/stage.ts'
import type { Tick } from '../../../schemas/tick.ts'
import { type Topic, tickKey } from '../../../schemas/topics.ts'

/** The times at which ticks had passed the point in all partitions, by the number of the tick. */
export type Passed = ReadonlyMap<number, number>

export type Way = Readonly<{
  /**
   * The times at which the service knew the facts of a tick, by the number of the tick. Ticks without facts
   * are left out, because no answer waits for them.
   */
  knownAtMs: ReadonlyMap<number, number>
  points: Readonly<Record<'factsRead' | 'derivedAppended' | 'derivedRead' | 'rowsBegun' | 'rowsWritten', Passed>>
}>

const pollMs = 20

/** Records the ticks of chain A at each point until the signal aborts. */
export function followWay(
  { log, registry }: Pick<OpenLog, 'log' | 'registry'>,
  database: Pick<Database, 'query'>,
  signal: AbortSignal,
): Way & Readonly<{ done: Promise<unknown> }> {
  const { factTopic, derivedTopic } = chainAStage
  const knownAtMs = new Map<number, number>()
  const facts = createPoint(factTopic.partitionCount)
  const appended = createPoint(derivedTopic.partitionCount)
  const read = createPoint(derivedTopic.partitionCount)
  const begun = createPoint(derivedTopic.partitionCount)
  const written = createPoint(derivedTopic.partitionCount)

  const followTicks = async ({ name: topic, partitionCount }: Topic, codec: TickCodec, onTick: OnTick) => {
    const follow = async (partition: number) => {
      let { endOffset: offset } = await log.bounds(topic, partition)
      while (!signal.aborted) {
        await log.waitForAppend({ topic, partition, offset }, signal)
        for (const batch of await log.read({ topic, partition, offset })) {
          for (const { tick, ...found } of ticksOf(batch, codec)) onTick({ ...tick, ...found, partition })
          offset = batch.nextOffset
        }
      }
    }
    await Promise.all(Array.from({ length: partitionCount }, (_, partition) => follow(partition)))
  }
  const followLog = async () => {
    const { facts: factCodec } = await createIngestCodecs(chainAStage, registry)
    const derivedCodec = await createSchemaCodec<StageRecord>(derivedTopic, registry)
    await Promise.all([
      followTicks(factTopic, factCodec, onFactTick),
      followTicks(derivedTopic, derivedCodec, onDerivedTick),
    ])
  }
  const followTables = async () => {
    for (; !signal.aborted; await sleep(pollMs)) {
      const rows = await progressOf(database, derivedTopic.name)
      for (const { partition, plannedSeq, doneSeq } of rows) {
        begun.passUpTo(Number(plannedSeq), partition)
        written.passUpTo(Number(doneSeq), partition)
      }
    }
  }
  const onFactTick = ({ seq, knownAtMs: atMs, partition, hasFacts }: SeenTick) => {
    if (hasFacts) knownAtMs.set(seq, atMs)
    facts.pass(seq, partition)
  }
  const onDerivedTick = ({ seq, partition, appendedAtMs }: SeenTick) => {
    appended.pass(seq, partition, appendedAtMs)
    read.pass(seq, partition)
  }
  return {
    knownAtMs,
    points: {
      factsRead: facts.passed,
      derivedAppended: appended.passed,
      derivedRead: read.passed,
      rowsBegun: begun.passed,
      rowsWritten: written.passed,
    },
    done: Promise.all([followLog(), followTables()]),
  }
}

type FoundTick = Readonly<{ tick: Tick; appendedAtMs: number; hasFacts: boolean }>
type SeenTick = Pick<Tick, 'seq' | 'knownAtMs'> & Omit<FoundTick, 'tick'> & Readonly<{ partition: number }>
type OnTick = (tick: SeenTick) => void
type TickCodec = Readonly<{ decode(value: Buffer): StageRecord }>

function ticksOf(batch: RecordBatch, codec: TickCodec): readonly FoundTick[] {
  return Array.from({ length: batch.count }, (_, index) => index).flatMap((index) => {
    const value = batch.keyAt(index) === tickKey ? batch.valueAt(index) : null
    const record = value && codec.decode(value)
    return record && isTick(record)
      ? [{ tick: record.data, appendedAtMs: batch.timestampMsAt(index), hasFacts: index > 0 }]
      : []
  })
}

type ProgressRow = Readonly<{ partition: number; plannedSeq: string; doneSeq: string }>

/**
 * Returns the progress of each partition. Before the first migration the query fails, and there are no rows.
 */
const progressOf = (database: Pick<Database, 'query'>, topic: string): Promise<readonly ProgressRow[]> =>
  database
    .query<ProgressRow>(
      `SELECT log_partition AS partition, max(seq) AS plannedSeq, maxIf(seq, state = 'done') AS doneSeq
       FROM watermarks WHERE topic = {topic:String} GROUP BY log_partition`,
      { topic },
    )
    .catch(() => [])

/**
 * Records when ticks pass one point of the service. A tick counts as passed after it has passed the point in
 * every partition.
 */
function createPoint(partitionCount: number) {
  const passed = new Map<number, number>()
  const partitionsOf = new Map<number, Set<number>>()
  const newest = new Map<number, number>()
  const pass = (seq: number, partition: number, atMs = Date.now()) => {
    const seen = partitionsOf.get(seq) ?? new Set()
    partitionsOf.set(seq, seen.add(partition))
    if (seen.size === partitionCount) passed.set(seq, Math.max(atMs, passed.get(seq) ?? 0))
  }
  return {
    passed: passed as Passed,
    pass,
    passUpTo(seq: number, partition: number) {
      for (let each = (newest.get(partition) ?? seq - 1) + 1; each <= seq; each++) pass(each, partition)
      newest.set(partition, seq)
    },
  }
}
