/**
 * Decodes the records of the log. A record that cannot be decoded stops the processing of its partition. If
 * it were skipped, the derived records would be wrong without notice.
 */

import type { SchemaCodec } from '../../infra/codec/schema-codec.ts'
import { isOperationError, OperationError } from '../../infra/errors.ts'
import type { RecordBatch } from '../../infra/log/record-batch.ts'
import type { StageRecord } from '../../schemas/stage.ts'
import type { TopicName } from '../../schemas/topics.ts'

export type RecordReader = Readonly<{
  /**
   * Returns the record, which is valid only until the next batch is read. Null: the codec has not loaded the record's schema. `wholeAt`
   * then fetches the schema.
   */
  knownAt(batch: RecordBatch, index: number): StageRecord | null
  /** Returns a copy of the record, which the caller may keep. */
  wholeAt(batch: RecordBatch, index: number): Promise<StageRecord>
}>

/** Both methods fail with `record_corrupt`, which names topic, partition and offset. */
export function createRecordReader(codec: SchemaCodec, topic: TopicName, partition: number): RecordReader {
  const corrupt = (cause: unknown, offset: number): OperationError => {
    const reason = cause instanceof Error ? cause.message : String(cause)
    return new OperationError('record_corrupt', `${topic}/${partition} cannot be read at offset ${offset}: ${reason}`, {
      cause,
      context: { topic, partition, offset },
    })
  }
  return {
    knownAt(batch, index) {
      try {
        if (batch.isNullAt(index)) throw new OperationError('record_corrupt', 'the record has no value')
        return codec.decodeAt(batch, batch.valueStartAt(index), batch.valueEndAt(index))
      } catch (cause) {
        if (isOperationError(cause, 'schema_unknown')) return null
        throw corrupt(cause, batch.offsetAt(index))
      }
    },
    async wholeAt(batch, index) {
      try {
        const value = batch.valueAt(index) as Buffer
        await codec.load(value)
        return codec.decode(value)
      } catch (cause) {
        throw corrupt(cause, batch.offsetAt(index))
      }
    },
  }
}
