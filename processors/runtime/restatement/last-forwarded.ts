/**
 * Finds the last tick that a task (one partition of a stage) has written. It is the last record of the
 * derived partition, because each append ends with a tick.
 */
import { OperationError } from '../../../infra/errors.ts'
import { readLast } from '../../../infra/log/read-back.ts'
import { isTick } from '../../../schemas/stage.ts'
import type { Tick } from '../../../schemas/tick.ts'
import { createRecordReader } from '../decode-record.ts'
import { type StageDependencies, topicsOf } from '../task.ts'

/**
 * Returns null if the task has never written a tick. Fails with `record_corrupt` if the last record of the
 * partition is not a tick.
 */
export async function lastForwardedTick(
  dependencies: Pick<StageDependencies, 'log' | 'derivedCodec' | 'stage'>,
  partition: number,
): Promise<Tick | null> {
  const { derivedTopic } = topicsOf(dependencies)
  const last = await readLast(dependencies.log, { topic: derivedTopic, partition }, () => true)
  if (last === null) return null
  const reader = createRecordReader(dependencies.derivedCodec, derivedTopic, partition)
  const record = reader.knownAt(last.batch, last.index) ?? (await reader.wholeAt(last.batch, last.index))
  if (isTick(record)) return record.data
  throw new OperationError(
    'record_corrupt',
    `${derivedTopic}/${partition} ends with a ${record.type} instead of a tick`,
    {
      context: { topic: derivedTopic, partition, offset: last.offset },
    },
  )
}
