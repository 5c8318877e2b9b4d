import { expect } from 'chai'
import fc from 'fast-check'
import { recordWriterOf } from '../../../../infra/codec/avro/record-writer.ts'
import { viewed } from '../../../../infra/codec/avro/viewed-bytes.ts'
import { avroType } from '../../../../infra/codec/schema-codec.ts'
import { type AvroRecord, arrayOf, hex, integer, nullable, recordOf } from '../../../../schemas/avro.ts'
import { swap } from '../../../../schemas/chain-a/facts.ts'
import { currentSchemas } from '../../../schemas/released-schemas.ts'

const values: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  int: fc.integer(),
  // The largest integer that avsc reads.
  long: fc.integer({ min: -(2 ** 52), max: 2 ** 52 - 1 }),
  double: fc.double(),
  boolean: fc.boolean(),
  string: fc.string({ unit: 'binary', maxLength: 100 }),
  hex: fc.uint8Array({ maxLength: 200 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`),
  decimal: fc.oneof(
    fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }),
    fc.bigInt({ min: -(2n ** 255n), max: 2n ** 256n - 1n }),
    fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 2n ** 63n, -(2n ** 63n) - 1n, 0n, -1n),
  ),
}

function drawn(type: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(type)) return fc.option(drawn(type[1]), { nil: null })
  if (typeof type === 'string') return values[type] ?? expect.fail(type)
  const { logicalType, symbols, items, fields } = type as Partial<
    Readonly<{ logicalType: string; symbols: readonly string[]; items: unknown }> & AvroRecord
  >
  if (items !== undefined) return fc.array(drawn(items), { maxLength: 5 })
  if (fields !== undefined) return recordFor({ fields })
  return symbols ? fc.constantFrom(...symbols) : (values[logicalType ?? ''] ?? expect.fail(String(logicalType)))
}

const recordFor = ({ fields }: Pick<AvroRecord, 'fields'>): fc.Arbitrary<object> =>
  fc.record(Object.fromEntries(fields.map(({ name, type }) => [name, drawn(type)])))

describe('a record writer', () => {
  for (const { topic, schema } of currentSchemas)
    it(`writes what avsc writes: ${topic} ${schema.name}`, () => {
      const type = avroType(schema)
      const write = recordWriterOf(schema)
      const target = viewed(Buffer.alloc(1 << 16))
      fc.assert(
        fc.property(recordFor(schema), fc.nat(9), (record, start) => {
          const end = write(target, start, record)
          expect(target.bytes.toString('hex', start, end)).to.equal(type.toBuffer(record).toString('hex'))
        }),
      )
    })

  it('ends past the buffer if there is no room', () => {
    const write = recordWriterOf(swap)
    fc.assert(
      fc.property(recordFor(swap), fc.nat(600), (record, size) => {
        const { length } = avroType(swap).toBuffer(record)
        const end = write(viewed(Buffer.alloc(size)), 0, record)
        if (length <= size) expect(end).to.equal(length)
        else expect(end).to.be.above(size)
      }),
    )
  })

  it('ends past the buffer if there is no room for a string', () => {
    const write = recordWriterOf(recordOf('R', [{ name: 'x', type: 'string' }]))
    expect(write(viewed(Buffer.alloc(4)), 0, { x: 'abc' })).to.equal(4)
    expect(write(viewed(Buffer.alloc(3)), 0, { x: 'abc' })).to.be.above(3)
  })

  it('throws for a value that does not match the schema', () => {
    const wrong: readonly [unknown, unknown][] = [
      ['int', 2 ** 31],
      ['int', 1.5],
      ['int', '7'],
      ['long', 2 ** 53],
      ['long', undefined],
      ['double', '1'],
      ['boolean', 1],
      ['string', 7],
      ['string', null],
      [hex, 'ab'],
      [hex, '0xzz'],
      [hex, '0x12zz'],
      [hex, '0x123'],
      [integer, 5],
      [nullable('double'), undefined],
      [{ type: 'enum', name: 'E', symbols: ['a'] }, 'b'],
      [arrayOf('int'), null],
      [arrayOf('int'), 'ab'],
      [arrayOf('int'), { length: 1 }],
      [arrayOf('int'), ['7']],
      [recordOf('N', [{ name: 'y', type: 'int' }]), null],
      [recordOf('N', [{ name: 'y', type: 'int' }]), undefined],
      [recordOf('N', [{ name: 'y', type: 'int' }]), 'ab'],
      [recordOf('N', [{ name: 'y', type: 'int' }]), { y: '7' }],
    ]
    for (const [type, value] of wrong) {
      const write = recordWriterOf(recordOf('R', [{ name: 'x', type: type as 'int' }]))
      expect(() => write(viewed(Buffer.alloc(100)), 0, { x: value }), JSON.stringify([type, value])).to.throw(Error)
    }
  })
})
