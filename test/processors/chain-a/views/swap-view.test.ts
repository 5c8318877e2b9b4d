import { expect } from 'chai'
import fc from 'fast-check'
import { viewed } from '../../../../infra/codec/avro/viewed-bytes.ts'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import { avroType, createSchemaCodec, subjectOf } from '../../../../infra/codec/schema-codec.ts'
import { isOperationError } from '../../../../infra/errors.ts'
import { SwapView } from '../../../../processors/chain-a/views/swap-view.ts'
import { chainAViews } from '../../../../processors/chain-a/views/views.ts'
import { type ChainARecord, type Swap, swap } from '../../../../schemas/chain-a/facts.ts'
import { topics } from '../../../../schemas/topics.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { releasesOf } from '../../../schemas/released-schemas.ts'

const hexOf = (minLength: number, maxLength = minLength) =>
  fc.uint8Array({ minLength, maxLength }).map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`)
const integer = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }),
  fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n }),
)
const int = fc.integer()
const long = fc.maxSafeInteger().map((value) => Math.trunc(value / 2))

const randomSwap: fc.Arbitrary<Swap> = fc.record({
  pool: fc.oneof(hexOf(20), hexOf(32), hexOf(0, 300)),
  ethWei: integer,
  tokenRaw: integer,
  sqrtPriceX96: integer,
  liquidity: integer,
  tick: int,
  sender: fc.oneof(hexOf(20), hexOf(0, 300)),
  blockNumber: long,
  blockAtMs: long,
  txIndex: int,
  logIndex: int,
  blockHash: hexOf(32),
  txHash: fc.oneof(hexOf(32), hexOf(0, 300)),
})

const names = swap.fields.map(({ name }) => name)
const fieldsOf = (record: object) => names.map((name) => [name, (record as Readonly<Record<string, unknown>>)[name]])

/** Puts other bytes before and after the record, as in a batch. */
const amid = (bytes: Buffer) => ({
  source: viewed(Buffer.concat([Buffer.from([7, 7, 7]), bytes, Buffer.from([9])])),
  start: 3,
  end: 3 + bytes.length,
})

describe('a swap view', () => {
  it('gives what avsc gives, of every field, asked for in any order and twice', () => {
    const type = avroType(swap)
    fc.assert(
      fc.property(randomSwap, fc.shuffledSubarray([...names, ...names]), (record, asked) => {
        const bytes = type.toBuffer(record)
        const { source, start, end } = amid(bytes)
        const view = new SwapView(source, start, end)
        for (const name of asked) expect(view[name], name).to.equal(record[name])
        expect(fieldsOf(view)).to.deep.equal(fieldsOf(type.fromBuffer(bytes) as object))
      }),
    )
  })

  it('gives a text that came before again, and another one in its place when the bytes differ', () => {
    const type = avroType(swap)
    fc.assert(
      fc.property(randomSwap, fc.array(fc.tuple(fc.nat(31), fc.nat(255)), { maxLength: 50 }), (record, changes) => {
        const pool = Buffer.alloc(32, 5)
        for (const [at, byte] of changes) {
          pool[at] = byte
          const { source, start, end } = amid(type.toBuffer({ ...record, pool: `0x${pool.toString('hex')}` }))
          expect(new SwapView(source, start, end).pool).to.equal(`0x${pool.toString('hex')}`)
        }
      }),
    )
  })

  it('is refused for bytes that are cut short, go on, or have a negative length', () => {
    const type = avroType(swap)
    fc.assert(
      fc.property(randomSwap, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (record, share) => {
        const bytes = type.toBuffer(record)
        expectCorrupt(bytes.subarray(0, Math.floor(bytes.length * share)))
        expectCorrupt(Buffer.concat([bytes, Buffer.from([0])]))
        expectCorrupt(Buffer.concat([Buffer.from([1]), bytes.subarray(1)]))
      }),
    )
  })

  it('is what the codec reads in place, for every released version of the schema', async () => {
    const registry = createMemoryRegistry()
    const releases = releasesOf({ topic: 'chain-a-facts', name: 'Swap' })
    expect(releases).to.have.length.above(0)
    for (const released of releases) {
      const id = await registry.register(subjectOf('chain-a-facts', released), released)
      const codec = await createSchemaCodec<ChainARecord>(topics['chain-a-facts'], registry, chainAViews)
      for (const record of fc.sample(randomSwap, 20)) {
        const body = avroType(released).toBuffer(record)
        const value = Buffer.concat([Buffer.from([0, 0, 0, 0, id]), body])
        await codec.load(value)
        const { source, start, end } = amid(value)
        const read = codec.decodeAt(source, start, end)
        expect(read.type).to.equal('Swap')
        expect(fieldsOf(read.data)).to.deep.equal(fieldsOf(codec.decode(value).data))
      }
    }
  })
})

function expectCorrupt(bytes: Buffer): void {
  const { source, start, end } = amid(bytes)
  try {
    new SwapView(source, start, end)
  } catch (error) {
    if (isOperationError(error, 'record_corrupt')) return
    throw error
  }
  expect.fail('was read')
}
