/** A record that cannot be read halts its task, with its place: skipping it would be a silent hole in everything derived. */
import { isOperationError, OperationError } from '../../infra/errors.ts'
import type { ReadPosition } from '../../infra/log/log.ts'
import type { DecodedRecord, SchemaCodec } from '../../infra/schema-codec.ts'

/** Null: the schema is one the codec has not seen yet; `decodeForeign` fetches it. Throws `record_corrupt`. */
export function decodeKnown<Record extends DecodedRecord>(
  codec: SchemaCodec<Record>,
  value: Buffer | null,
  position: ReadPosition,
): Record | null {
  try {
    if (value === null) throw new OperationError('record_corrupt', 'a record without a value')
    return codec.decode(value)
  } catch (cause) {
    if (isOperationError(cause, 'schema_unknown')) return null
    throw corrupt(cause, position)
  }
}

export async function decodeForeign<Record extends DecodedRecord>(
  codec: SchemaCodec<Record>,
  value: Buffer,
  position: ReadPosition,
): Promise<Record> {
  try {
    await codec.load(value)
    return codec.decode(value)
  } catch (cause) {
    throw corrupt(cause, position)
  }
}

function corrupt(cause: unknown, { topic, partition, offset }: ReadPosition): OperationError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new OperationError('record_corrupt', `${topic}/${partition} cannot be read at offset ${offset}: ${reason}`, {
    cause,
    context: { topic, partition, offset },
  })
}
