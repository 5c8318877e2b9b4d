/** The errors that the embedded log throws for damaged data. */
import type { TopicName } from '../../../schemas/topics.ts'
import { logDamaged } from '../../checked-bytes.ts'
import { type Environment, fileOf } from '../../data-dir/lmdb.ts'
import type { OperationError } from '../../errors.ts'
import { partitionId } from '../append.ts'

type Where = Readonly<{ environment: Environment; topic: TopicName; partition: number; offset: number }>

export const blockDamaged = (where: Where): OperationError =>
  damaged(where, (id, file) => `the block of ${id} at offset ${where.offset} in ${file} is damaged`)

export const blocksMissing = (where: Where, endOffset: number): OperationError =>
  damaged(where, (id, file) => `${id} has no blocks between the offsets ${where.offset} and ${endOffset} in ${file}`)

export const endMissing = (where: Where): OperationError =>
  damaged(where, (id, file) => `${id} has records, but the row with their end offset is missing in ${file}`)

function damaged({ environment, ...place }: Where, say: (id: string, file: string) => string): OperationError {
  const file = fileOf(environment)
  return logDamaged(say(partitionId(place.topic, place.partition), file), { ...place, file })
}

export function rowDamaged(environment: Environment, row: string): OperationError {
  const file = fileOf(environment)
  return logDamaged(`the row ${row} of the index in ${file} is damaged`, { row, file })
}
