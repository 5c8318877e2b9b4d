import { expect } from 'chai'
import fc from 'fast-check'
import { packBlocks } from '../../../infra/log/pack-blocks.ts'
import { type PackedBlock, packRecords, RecordBatch } from '../../../infra/log/record-batch.ts'

const block = (texts: readonly string[], more: Partial<PackedBlock> = {}): PackedBlock => ({
  bytes: packRecords(texts.map((text) => ({ key: text, value: Buffer.from(text) }))),
  count: texts.length,
  firstOffset: 10,
  timestampMs: 5,
  ...more,
})
const offsetsOf = (batch: RecordBatch) => Array.from({ length: batch.count }, (_, index) => batch.offsetAt(index))
const keysOf = (batch: RecordBatch) => Array.from({ length: batch.count }, (_, index) => batch.keyAt(index))

const record = fc.record({
  key: fc.string({ unit: 'grapheme', maxLength: 20 }),
  value: fc.option(
    fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
    { nil: null },
  ),
})

describe('a record batch', () => {
  it('returns the packed records, from any offset', () => {
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 20 }), fc.nat(25), (records, skipped) => {
        const packed = { bytes: packRecords(records), count: records.length, firstOffset: 100, timestampMs: 1 }
        const batch = new RecordBatch(packed, 100 + skipped)
        const rest = records.slice(skipped)
        expect(batch.count).to.equal(rest.length)
        rest.forEach(({ key, value }, index) => {
          expect(batch.keyAt(index)).to.equal(key)
          expect(batch.valueAt(index)).to.deep.equal(value)
          expect(batch.offsetAt(index)).to.equal(100 + skipped + index)
        })
      }),
    )
  })

  it('works across gaps', () => {
    const packed = block(['a', 'b', 'c'], { offsetDeltas: Uint32Array.of(0, 3, 9) })
    expect(offsetsOf(new RecordBatch(packed))).to.deep.equal([10, 13, 19])
    expect(new RecordBatch(packed).nextOffset).to.equal(20)
    expect(keysOf(new RecordBatch(packed, 11))).to.deep.equal(['b', 'c'])
    expect(keysOf(new RecordBatch(packed, 13))).to.deep.equal(['b', 'c'])
    expect(keysOf(new RecordBatch(packed, 14))).to.deep.equal(['c'])
    expect(new RecordBatch(packed, 20).count).to.equal(0)
  })

  it('can be cut before an offset, and continues there', () => {
    const dense = new RecordBatch(block(['a', 'b', 'c', 'd']), 11)
    expect(keysOf(dense.before(13))).to.deep.equal(['b', 'c'])
    expect(dense.before(13).nextOffset).to.equal(13)
    expect(dense.before(14)).to.equal(dense)
    expect(dense.before(11).count).to.equal(0)
    const holed = new RecordBatch(block(['a', 'b', 'c'], { offsetDeltas: Uint32Array.of(0, 3, 9) }))
    expect(keysOf(holed.before(19))).to.deep.equal(['a', 'b'])
  })

  it('throws for an index out of range', () => {
    const batch = new RecordBatch(block(['a', 'b', 'c'])).before(12)
    expect(() => batch.keyAt(2)).to.throw(RangeError)
    expect(() => batch.valueAt(-1)).to.throw(RangeError)
  })
})

describe('the blocks of an append', () => {
  it('stay near 256 KiB, lose nothing and keep the order', () => {
    const records = Array.from({ length: 30 }, (_, index) => ({ key: `${index}`, value: Buffer.alloc(50_000) }))
    records[7] = { key: '7', value: Buffer.alloc(1_000_000) }
    const blocks = packBlocks(records, 1)
    expect(blocks.length).to.be.within(7, 12)
    const keys = blocks.flatMap((packed) => keysOf(new RecordBatch({ ...packed, firstOffset: 0 })))
    expect(keys).to.deep.equal(records.map(({ key }) => key))
    expect(blocks.filter(({ bytes }) => bytes.length > 256 * 1024)).to.have.lengthOf(1)
  })
})
