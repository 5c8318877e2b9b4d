import { expect } from 'chai'
import fc from 'fast-check'
import { viewed } from '../../../../infra/codec/avro/viewed-bytes.ts'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import { avroType, createSchemaCodec, subjectOf } from '../../../../infra/codec/schema-codec.ts'
import { isOperationError } from '../../../../infra/errors.ts'
import { CurveTradeView } from '../../../../processors/chain-a/views/curve-trade-view.ts'
import { chainAViews } from '../../../../processors/chain-a/views/views.ts'
import { type ChainARecord, type CurveTraded, curveTraded } from '../../../../schemas/chain-a/facts.ts'
import { topics } from '../../../../schemas/topics.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { releasesOf } from '../../../schemas/released-schemas.ts'

const hexOf = (minLength: number, maxLength = minLength) =>
  fc.uint8Array({ minLength, maxLength }).map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`)
const address = fc.oneof(hexOf(20), hexOf(0, 300))
const integer = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }),
  fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n }),
)
const long = fc.maxSafeInteger().map((value) => Math.trunc(value / 2))

const randomTrade: fc.Arbitrary<CurveTraded> = fc.record({
  curve: address,
  trader: address,
  ethWei: integer,
  tokenRaw: integer,
  feeWei: integer,
  taxWei: integer,
  blockNumber: long,
  blockAtMs: long,
  txIndex: fc.integer(),
  logIndex: fc.integer(),
  blockHash: hexOf(32),
  txHash: hexOf(0, 300),
})

const names = curveTraded.fields.map(({ name }) => name)

/** Puts other bytes before and after the record, as in a batch. */
const amid = (bytes: Buffer) => ({
  source: viewed(Buffer.concat([Buffer.from([7, 7, 7]), bytes, Buffer.from([9])])),
  start: 3,
  end: 3 + bytes.length,
})

describe('a curve trade view', () => {
  it('gives what was written, of every field, asked for in any order and twice', () => {
    const type = avroType(curveTraded)
    fc.assert(
      fc.property(randomTrade, fc.shuffledSubarray([...names, ...names]), (trade, asked) => {
        const { source, start, end } = amid(type.toBuffer(trade))
        const view = new CurveTradeView(source, start, end)
        for (const name of asked) expect(view[name], name).to.equal(trade[name])
      }),
    )
  })

  it('is refused for bytes that are cut short, go on, or have a negative length', () => {
    const type = avroType(curveTraded)
    fc.assert(
      fc.property(randomTrade, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (trade, share) => {
        const bytes = type.toBuffer(trade)
        expectCorrupt(bytes.subarray(0, Math.floor(bytes.length * share)))
        expectCorrupt(Buffer.concat([bytes, Buffer.from([0])]))
        expectCorrupt(Buffer.concat([Buffer.from([1]), bytes.subarray(1)]))
      }),
    )
  })

  it('is what the codec reads in place, for every released version of the schema', async () => {
    const registry = createMemoryRegistry()
    const releases = releasesOf({ topic: 'chain-a-facts', name: 'CurveTraded' })
    expect(releases).to.have.length.above(0)
    for (const released of releases) {
      const id = await registry.register(subjectOf('chain-a-facts', released), released)
      const codec = await createSchemaCodec<ChainARecord>(topics['chain-a-facts'], registry, chainAViews)
      for (const trade of fc.sample(randomTrade, 20)) {
        const value = Buffer.concat([Buffer.from([0, 0, 0, 0, id]), avroType(released).toBuffer(trade)])
        await codec.load(value)
        const { source, start, end } = amid(value)
        const { type, data } = codec.decodeAt(source, start, end)
        expect(type).to.equal('CurveTraded')
        for (const name of names) expect((data as CurveTraded)[name], name).to.equal(trade[name])
      }
    }
  })
})

function expectCorrupt(bytes: Buffer): void {
  const { source, start, end } = amid(bytes)
  try {
    new CurveTradeView(source, start, end)
  } catch (error) {
    if (isOperationError(error, 'record_corrupt')) return
    throw error
  }
  expect.fail('was read')
}
