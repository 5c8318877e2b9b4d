/**
 * Compares new records with the records that were published earlier from the same facts. Their bytes must be
 * equal.
 */
import { OperationError } from '../../../infra/errors.ts'
import type { Log, LogOffset, NewRecord } from '../../../infra/log/log.ts'
import type { RecordBatch } from '../../../infra/log/record-batch.ts'
import { type TopicName, tickKey } from '../../../schemas/topics.ts'
import { type StageDependencies, topicsOf } from '../task.ts'

export type Published = Readonly<{
  /** Compares the records of one tick with the next published records. Fails with `determinism_broken` at the first difference. */
  match(seq: number, records: readonly LabelledRecord[]): Promise<void>
  /** Skips the next published tick and its records, without comparing them. */
  pass(): Promise<void>
}>

/** `type` is the name of the record type, for error messages. */
export type LabelledRecord = Readonly<{ type: string; record: NewRecord }>

type PublishedRecord = Readonly<{ key: string; value: Buffer | null; offset: number }>

export function createPublished(
  dependencies: Pick<StageDependencies, 'log' | 'stage'>,
  partition: number,
  fromOffset: number,
): Published {
  const { derivedTopic: topic } = topicsOf(dependencies)
  const next = recordReader(dependencies.log, { topic, partition, offset: fromOffset })
  return {
    async match(seq, records) {
      for (const [index, { type, record }] of records.entries()) {
        const found = next.inHand() ?? (await next.fetch())
        if (found !== null && isSame(found, record)) continue
        const published = found && { key: found.key, offset: found.offset }
        throw broken({ topic, partition, seq, index, recordType: type, key: record.key, published })
      }
    },
    async pass() {
      for (;;) {
        const found = next.inHand() ?? (await next.fetch())
        if (found === null || found.key === tickKey) return
      }
    },
  }
}

/**
 * Reads records one by one. `inHand` returns the next record if it is already in memory, otherwise null.
 * `fetch` reads more records from the log.
 */
function recordReader(log: Log, from: LogOffset) {
  let batches: readonly RecordBatch[] = []
  let batchAt = 0
  let index = 0
  let { offset } = from

  const inHand = (): PublishedRecord | null => {
    for (; batchAt < batches.length; batchAt++, index = 0) {
      const batch = batches[batchAt] as RecordBatch
      if (index >= batch.count) continue
      const at = index++
      return { key: batch.keyAt(at), value: batch.valueAt(at), offset: batch.offsetAt(at) }
    }
    return null
  }
  const fetch = async (): Promise<PublishedRecord | null> => {
    batches = await log.read({ ...from, offset })
    batchAt = 0
    index = 0
    offset = batches.at(-1)?.nextOffset ?? offset
    return inHand()
  }
  return { inHand, fetch }
}

const isSame = (found: PublishedRecord, { key, value }: NewRecord): boolean =>
  found.key === key && found.value !== null && value !== null && found.value.equals(value)

function broken(
  context: Readonly<{
    topic: TopicName
    partition: number
    seq: number
    index: number
    recordType: string
    [fact: string]: unknown
  }>,
) {
  const { topic, partition, seq, index, recordType } = context
  return new OperationError(
    'determinism_broken',
    `the rules now give a different ${recordType} than the published record ${index} of tick ${seq} in ${topic}/${partition}. Run the program version that published the record`,
    { context },
  )
}
