/**
 * The log up to the time of the replay clock. Readers that follow the log get each append when the clock
 * passes the time at which the service originally knew the append.
 */
import { createSchemaCodec, type SchemaRegistry } from '../../infra/codec/schema-codec.ts'
import type { LogOffset, LogReader } from '../../infra/log/log.ts'
import { type FoundRecord, readFirst } from '../../infra/log/read-back.ts'
import type { RecordBatch } from '../../infra/log/record-batch.ts'
import { loadSchemas, type TypedPartition } from '../../infra/log/scan.ts'
import { offsetKnownAt } from '../../infra/log/ticks.ts'
import type { StageRecord } from '../../schemas/stage.ts'
import type { Tick } from '../../schemas/tick.ts'
import { type Topic, tickKey } from '../../schemas/topics.ts'
import type { ReplayClock } from './clock.ts'

type Followed = Pick<LogReader, 'bounds' | 'read' | 'waitForAppend'>
type Past = Readonly<{ log: LogReader; registry: SchemaRegistry; clock: Pick<ReplayClock, 'nowMs' | 'reaches'> }>

/**
 * Opens a log that ends at the replay clock. Its topics must contain ticks, which are records with the time
 * at which the records before them became known.
 */
export async function createLogUntil({ log, registry, clock }: Past, topics: readonly Topic[]): Promise<Followed> {
  const codecs = new Map(
    await Promise.all(
      topics.map(async (topic) => [topic.name, await createSchemaCodec<StageRecord>(topic, registry)] as const),
    ),
  )
  const partitionOf = ({ topic, partition }: Pick<LogOffset, 'topic' | 'partition'>): TypedPartition => {
    const codec = codecs.get(topic)
    if (codec === undefined) throw new RangeError(`topic ${topic} is not part of the replay`)
    return { log, topic, partition, codec }
  }
  const tickAt = async (of: TypedPartition, batch: RecordBatch, index: number): Promise<Tick> => {
    await loadSchemas(of, batch, new Set())
    return of.codec.decode(batch.valueAt(index) as Buffer).data as Tick
  }
  const isKnown = async (of: TypedPartition, found: FoundRecord | null): Promise<boolean> =>
    found !== null && (await tickAt(of, found.batch, found.index)).knownAtMs <= clock.nowMs()
  /**
   * Returns the offset at which the known part of a batch ends: right after the last tick that is known at
   * the replayed time. If the batch has no tick, it is known as soon as the next tick is known. Returns null
   * if no part is known.
   */
  const knownUntil = async (of: TypedPartition, batch: RecordBatch): Promise<number | null> => {
    let hasTick = false
    for (let index = batch.count - 1; index >= 0; index--) {
      if (batch.keyAt(index) !== tickKey) continue
      hasTick = true
      if (await isKnown(of, { offset: 0, batch, index })) return batch.offsetAt(index) + 1
    }
    if (hasTick) return null
    const { topic, partition } = of
    const next = await readFirst(log, { topic, partition, offset: batch.nextOffset }, isTick)
    return (await isKnown(of, next)) ? batch.nextOffset : null
  }
  return {
    async bounds(topic, partition) {
      const of = partitionOf({ topic, partition })
      const { startOffset, endOffset: until } = await log.bounds(topic, partition)
      let endOffset = await offsetKnownAt(of, clock.nowMs() + 1)
      for (;;) {
        const found = endOffset < until ? await readFirst(log, { topic, partition, offset: endOffset }, isTick) : null
        if (!found || !(await isKnown(of, found))) break
        endOffset = found.offset + 1
      }
      return { startOffset, endOffset }
    },
    async read(from, options) {
      const of = partitionOf(from)
      const known: RecordBatch[] = []
      for (const batch of await log.read(from, options)) {
        const until = await knownUntil(of, batch)
        if (until !== null) known.push(batch.before(until))
        if (until !== batch.nextOffset) break
      }
      return known
    },
    async waitForAppend(from, signal) {
      const of = partitionOf(from)
      const next = await readFirst(log, from, isTick)
      if (next) return clock.reaches((await tickAt(of, next.batch, next.index)).knownAtMs, signal)
      // The replayed range has no later tick, so this function waits until the signal aborts.
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve()
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
    },
  }
}

const isTick = (batch: RecordBatch, index: number): boolean => batch.keyAt(index) === tickKey
