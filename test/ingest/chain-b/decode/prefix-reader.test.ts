import { expect } from 'chai'
import fc from 'fast-check'
import { viewed } from '../../../../infra/codec/avro/viewed-bytes.ts'
import { decodeEvent } from '../../../../ingest/chain-b/decode/decode-event.ts'
import { pumpEvents, pumpSwapEvents } from '../../../../ingest/chain-b/decode/event-layouts.ts'
import { type Layout, PrefixReader } from '../../../../ingest/chain-b/decode/prefix-reader.ts'
import { encodeValue, type Value } from '../../../support/chain-b/encode-events.ts'
import { recordedEvents } from '../../../support/chain-b/fixtures.ts'

const layout = {
  ...{ flag: 'bool', amount: 'u64', when: 'i64', who: 'pubkey', name: 'text', signed: 'i128', small: 'u8' },
  ...{ shares: 'shares', short: 'u16', last: 'u64' },
} as const satisfies Layout

const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const key = fc.constantFrom('11111111111111111111111111111111', 'Ce6TQqeHC9p8KetsN6JsjHK7UTZk7nasjjnr7XxXp9F1')

const record = fc.record({
  flag: fc.boolean(),
  amount: u64,
  when: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  who: key,
  name: fc.string({ unit: 'grapheme', maxLength: 20 }),
  signed: fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n - 1n }),
  small: fc.nat(255),
  shares: fc.array(fc.record({ key, bps: fc.nat(65_535) }), { maxLength: 3 }),
  short: fc.nat(65_535),
  last: u64,
})

type Record = typeof record extends fc.Arbitrary<infer R> ? R : never

const valuesOf = (its: Record): readonly Value[] => [
  { bool: its.flag },
  { u64: its.amount },
  { i64: its.when },
  { key: its.who },
  { text: its.name },
  { i128: its.signed },
  { u8: its.small },
  { shares: its.shares },
  { u16: its.short },
  { u64: its.last },
]

/**
 * Returns a record with its first `fieldCount` fields. Three bytes that stand for the kind of event come
 * first.
 */
const bytesOf = (its: Record, fieldCount = 10, tail = 0): Buffer =>
  Buffer.concat([
    Buffer.from([7, 7, 7]),
    ...valuesOf(its).slice(0, fieldCount).map(encodeValue),
    Buffer.alloc(tail, 0xff),
  ])

const reader = new PrefixReader(layout, 3)
const { fields } = reader

/** Reads all fields of the record. A missing field is null. */
const read = () => ({
  flag: reader.bool(fields.flag),
  amount: reader.u64(fields.amount),
  when: reader.i64(fields.when),
  name: reader.text(fields.name),
  signed: reader.i128(fields.signed),
  small: reader.small(fields.small),
  short: reader.small(fields.short),
  last: reader.u64(fields.last),
})

describe('the reader of layouts that grow', () => {
  it('reads every version: fields that it lacks are null, and the bytes of later ones are counted', () => {
    fc.assert(
      fc.property(record, fc.nat(10), fc.nat(40), (its, fieldCount, more) => {
        const tail = fieldCount === 10 ? more : 0
        reader.read(viewed(bytesOf(its, fieldCount, tail)))
        expect(reader.fieldCount).to.equal(fieldCount)
        expect(reader.leftover).to.equal(tail)
        expect(reader.isWhole).to.equal(true)
        const names = Object.keys(layout).slice(0, fieldCount)
        for (const [name, value] of Object.entries(read()))
          expect(value, name).to.equal(names.includes(name) ? its[name as keyof typeof its] : null)
      }),
    )
  })

  it('knows a record that is cut within a field', () => {
    fc.assert(
      fc.property(record, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (its, share) => {
        const bytes = bytesOf(its)
        const length = 3 + Math.floor(share * (bytes.length - 3))
        const ends = valuesOf(its).map((_, count) => bytesOf(its, count).length)
        reader.read(viewed(bytes.subarray(0, length)))
        expect(reader.isWhole).to.equal(ends.includes(length))
        expect(reader.fieldCount).to.equal(ends.findLastIndex((end) => end <= length))
      }),
    )
  })

  it('keeps nothing of the record before', () => {
    fc.assert(
      fc.property(record, record, fc.nat(10), (first, second, fieldCount) => {
        reader.read(viewed(bytesOf(first)))
        reader.read(viewed(bytesOf(second, fieldCount)))
        const names = Object.keys(layout).slice(0, fieldCount)
        for (const [name, value] of Object.entries(read()))
          expect(value, name).to.equal(names.includes(name) ? second[name as keyof typeof second] : null)
      }),
    )
  })
})

const place = { blockNumber: 1, blockAtMs: null, txIndex: 0, logIndex: 0, blockHash: '0x', txHash: '0x' } as const
const context = { place, poolOf: () => ({ key: 'mint', quoteMint: null }) }
const programs = { pump: Object.keys(pumpEvents), 'pump-swap': Object.keys(pumpSwapEvents) }

describe('an event of any bytes', () => {
  const starts = recordedEvents().map(({ event, payload }) => ({
    program: programs.pump.includes(event) ? ('pump' as const) : ('pump-swap' as const),
    payload: Buffer.from(payload, 'base64'),
  }))

  it('is a fact, ignored or refused, and never an exception', () => {
    const changed = fc.record({
      start: fc.constantFrom(...starts),
      keep: fc.nat(500),
      tail: fc.uint8Array({ maxLength: 600 }),
    })
    const kinds = new Set<string>()
    fc.assert(
      fc.property(changed, ({ start: { program, payload }, keep, tail }) => {
        const bytes = Buffer.concat([payload.subarray(0, Math.max(8, keep)), tail])
        kinds.add(decodeEvent({ program, payload: viewed(bytes) }, context).kind)
      }),
      { numRuns: 3000 },
    )
    expect([...kinds].sort()).to.include.members(['fact', 'refused'])
  })

  it('is refused at once if a text or list claims more than there is', () => {
    const trade = starts.find(({ payload }) => payload.length === 382)!.payload
    for (const at of [258, 258 + 4 + 3 + 1 + 32]) {
      const bytes = Buffer.from(trade)
      bytes.writeUInt32LE(0xffff_ffff, at)
      expect(decodeEvent({ program: 'pump', payload: viewed(bytes) }, context)).to.deep.equal({
        kind: 'refused',
        reason: 'a TradeEvent of 382 bytes has an unknown version',
      })
    }
  })

  it('is refused if it is shorter than the first version, and ignored if it is of no kind that is read', () => {
    const trade = starts.find(({ payload }) => payload.length === 113)!.payload
    const kindOf = (bytes: Buffer) => decodeEvent({ program: 'pump', payload: viewed(bytes) }, context).kind
    expect(kindOf(trade)).to.equal('fact')
    expect(kindOf(trade.subarray(0, 105))).to.equal('refused')
    expect(kindOf(trade.subarray(0, 7))).to.equal('ignored')
    expect(kindOf(Buffer.concat([Buffer.alloc(8), trade.subarray(8)]))).to.equal('ignored')
    expect(kindOf(Buffer.concat([trade.subarray(0, 7), Buffer.alloc(1), trade.subarray(8)]))).to.equal('ignored')
    expect(decodeEvent({ program: 'pump-swap', payload: viewed(trade) }, context).kind).to.equal('ignored')
  })
})
