import { expect } from 'chai'
import fc from 'fast-check'
import { viewed } from '../../../../infra/codec/avro/viewed-bytes.ts'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import { avroType, createSchemaCodec, subjectOf } from '../../../../infra/codec/schema-codec.ts'
import { isOperationError } from '../../../../infra/errors.ts'
import { chainBViews } from '../../../../processors/chain-b/views/views.ts'
import { type ChainBRecord, curveTraded, poolTraded } from '../../../../schemas/chain-b/facts.ts'
import { topics } from '../../../../schemas/topics.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { releasesOf } from '../../../schemas/released-schemas.ts'

const hexOf = (minLength: number, maxLength = minLength) =>
  fc.uint8Array({ minLength, maxLength }).map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`)
const key = fc.oneof(hexOf(32), hexOf(0, 300))
const amount = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }),
  fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n }),
)
const long = fc.maxSafeInteger().map((value) => Math.trunc(value / 2))

/** Generates a random value for a field with this schema. */
function randomOf(schema: unknown): fc.Arbitrary<unknown> {
  const text = JSON.stringify(schema)
  if (Array.isArray(schema)) return fc.option(randomOf(schema[1]), { nil: null })
  if (text === '"boolean"') return fc.boolean()
  if (text === '"int"') return fc.integer()
  if (text === '"long"') return long
  return text.includes('decimal') ? amount : key
}

type Data = Readonly<Record<string, unknown>>

const randomTrade = (fields: readonly Readonly<{ name: string; type: unknown }>[]): fc.Arbitrary<Data> =>
  fc.record(Object.fromEntries(fields.map(({ name, type }) => [name, randomOf(type)])))

/** Puts other bytes before and after the record, as in a batch. */
const amid = (bytes: Buffer) => ({
  source: viewed(Buffer.concat([Buffer.from([7, 7, 7]), bytes, Buffer.from([9])])),
  start: 3,
  end: 3 + bytes.length,
})

for (const schema of [curveTraded, poolTraded]) {
  const { name: record } = schema
  const View = chainBViews[record]
  const trades = randomTrade(schema.fields)
  const names = schema.fields.map(({ name }) => name)
  const type = avroType(schema)
  const fieldOf = (data: object, name: string): unknown => Reflect.get(data, name)

  const expectCorrupt = (bytes: Buffer): void => {
    const { source, start, end } = amid(bytes)
    try {
      new View(source, start, end)
    } catch (error) {
      if (isOperationError(error, 'record_corrupt')) return
      throw error
    }
    expect.fail('was read')
  }

  describe(`a view of ${record} of chain B`, () => {
    it('gives what was written, of every field, asked for in any order and twice', () => {
      fc.assert(
        fc.property(trades, fc.shuffledSubarray([...names, ...names]), (trade, asked) => {
          const { source, start, end } = amid(type.toBuffer(trade))
          const view = new View(source, start, end)
          for (const name of asked) expect(fieldOf(view, name), name).to.equal(trade[name])
        }),
      )
    })

    it('is refused for bytes that are cut short, go on, or have a negative length', () => {
      fc.assert(
        fc.property(trades, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (trade, share) => {
          const bytes = type.toBuffer(trade)
          expectCorrupt(bytes.subarray(0, Math.floor(bytes.length * share)))
          expectCorrupt(Buffer.concat([bytes, Buffer.from([0])]))
          expectCorrupt(Buffer.concat([Buffer.from([1]), bytes.subarray(1)]))
        }),
      )
    })

    it('is refused where a flag or a nullable field is neither', () => {
      const plain = { ...fc.sample(trades, 1)[0], quoteMint: null, lateSlot: null, lateAtMs: null }
      const [before, after] = [false, true].map((flag) =>
        type.toBuffer({ ...plain, isMayhem: flag, isBeforeMigration: flag }),
      ) as [Buffer, Buffer]
      const flagAt = before.findIndex((byte, index) => byte !== after[index])
      const nullAt = flagAt + 1
      for (const at of [flagAt, nullAt])
        expectCorrupt(Buffer.concat([before.subarray(0, at), Buffer.of(4), before.subarray(at + 1)]))
    })

    it('is what the codec reads in place, for the schema and every released version of it', async () => {
      const registry = createMemoryRegistry()
      for (const released of [schema, ...releasesOf({ topic: 'chain-b-facts', name: record })]) {
        const id = await registry.register(subjectOf('chain-b-facts', released), released)
        const codec = await createSchemaCodec<ChainBRecord>(topics['chain-b-facts'], registry, chainBViews)
        for (const trade of fc.sample(trades, 20)) {
          const value = Buffer.concat([Buffer.from([0, 0, 0, 0, id]), avroType(released).toBuffer(trade)])
          await codec.load(value)
          const { source, start, end } = amid(value)
          const read = codec.decodeAt(source, start, end)
          expect(read.type).to.equal(record)
          for (const name of names) expect(fieldOf(read.data, name), name).to.equal(trade[name])
        }
      }
    })
  })
}
