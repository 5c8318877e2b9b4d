/**
 * Checks that a view matches its schema. A view is a class that reads single fields of an encoded record.
 * Views are written by hand, because generated accessors are only 0.5 to 0.7 times as fast. The check reads
 * probe records, which are generated from the schema.
 */
import assert from 'node:assert/strict'
import type { AvroRecord, AvroSchema } from '../../../schemas/avro.ts'
import { recordWriterOf } from './record-writer.ts'
import { type ViewedBytes, viewed } from './viewed-bytes.ts'

export type View = new (source: ViewedBytes, start: number, end: number) => object

/** The size of the buffer for a probe record, in bytes. A field of a probe has at most a few hundred bytes. */
const probeBytesMax = 64 * 1024

/**
 * Asserts that the view reads each field of the schema correctly. There is one probe record for each field.
 * In its own probe, a field has another value than in the other probes. This value is usually longer, so the
 * later fields move.
 */
export function checkView(View: View, schema: AvroRecord): void {
  const write = recordWriterOf(schema)
  const source = viewed(Buffer.alloc(probeBytesMax))
  for (const marked of schema.fields) {
    const record = Object.fromEntries(
      schema.fields.map((field, index) => [field.name, probeOf(field.type, index + 1, field === marked)]),
    )
    const read = readBy(View, source, write(source, 0, record))
    for (const [name, value] of Object.entries(record))
      assert.equal(read(name), value, `the view of ${schema.name} misreads ${name}`)
  }
}

/** Returns a function that reads a field through the view by the name of the field. If reading throws, the function returns the error. */
function readBy(View: View, source: ViewedBytes, end: number): (name: string) => unknown {
  const orFailure = (read: () => unknown): unknown => {
    try {
      return read()
    } catch (error) {
      return error
    }
  }
  const view = orFailure(() => new View(source, 0, end))
  return (name) => orFailure(() => Reflect.get(view as object, name))
}

/** The value of a field in a probe record. All fields of a record have different values, but null and false can occur several times. */
function probeOf(type: AvroSchema, seed: number, isMarked: boolean): unknown {
  if (Array.isArray(type)) return isMarked ? probeOf(type[1] as AvroSchema, seed, true) : null
  const kind = typeof type === 'object' && 'logicalType' in type ? type.logicalType : type
  switch (kind) {
    case 'boolean':
      return isMarked
    case 'int':
    case 'long':
      return (isMarked ? -100_000 : 1) * seed
    case 'hex':
      return `0x${Buffer.alloc(isMarked ? 100 + seed : seed, seed).toString('hex')}`
    case 'decimal':
      return BigInt(seed) * (isMarked ? -(2n ** 70n) : 1n)
    default:
      return assert.fail(`views do not support a field of type ${JSON.stringify(type)}`)
  }
}
