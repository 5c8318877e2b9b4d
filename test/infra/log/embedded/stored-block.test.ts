import { expect } from 'chai'
import { decodeBlock, encodeBlock } from '../../../../infra/log/embedded/stored-block.ts'
import { type PackedBlock, packRecords } from '../../../../infra/log/record-batch.ts'
import { encodeAsBefore } from './log-of-before.ts'

const place = { topic: 'chain-a-facts', partition: 2, firstOffset: 10 }
const dense: PackedBlock = {
  bytes: packRecords(['a', 'b'].map((text) => ({ key: text, value: Buffer.from(text) }))),
  count: 2,
  firstOffset: 10,
  timestampMs: 5,
}
const holed: PackedBlock = { ...dense, offsetDeltas: Uint32Array.of(1, 7) }
const plain = (block: PackedBlock | null) => block && { ...block, bytes: [...block.bytes] }

describe('a stored block', () => {
  for (const [name, packed] of Object.entries({ 'without gaps': dense, 'with gaps': holed })) {
    it(`is the same when it is read, ${name}`, () => {
      const stored = encodeBlock(place, packed)
      for (const mayLackSum of [false, true])
        expect(plain(decodeBlock(place, stored, mayLackSum))).to.deep.equal(plain(packed))
    })

    it(`has its records in the stored bytes, ${name}`, () => {
      const stored = encodeBlock(place, packed)
      expect(decodeBlock(place, stored, false)?.bytes.buffer).to.equal(stored.buffer)
    })

    it(`is read without a checksum only where blocks of before may be, ${name}`, () => {
      const stored = encodeAsBefore(packed)
      expect(plain(decodeBlock(place, stored, true))).to.deep.equal(plain(packed))
      expect(decodeBlock(place, stored, false)).to.equal(null)
    })

    it(`is damaged by any flipped bit, also where blocks of before may be, ${name}`, () => {
      const stored = encodeBlock(place, packed)
      for (let bit = 0; bit < stored.length * 8; bit++) {
        const flipped = Buffer.from(stored)
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        for (const mayLackSum of [false, true]) expect(decodeBlock(place, flipped, mayLackSum), `${bit}`).to.equal(null)
      }
    })

    it(`is damaged when it is cut anywhere, ${name}`, () => {
      const stored = encodeBlock(place, packed)
      for (let length = 0; length < stored.length; length++)
        for (const mayLackSum of [false, true])
          expect(decodeBlock(place, stored.subarray(0, length), mayLackSum), `${length}`).to.equal(null)
    })
  }

  it('belongs to its place alone', () => {
    const stored = encodeBlock(place, dense)
    for (const other of [{ topic: 'chain-b-facts' }, { partition: 3 }, { firstOffset: 12 }])
      expect(decodeBlock({ ...place, ...other }, stored, true)).to.equal(null)
  })

  it('is not a page of zeros', () => {
    for (const mayLackSum of [false, true]) expect(decodeBlock(place, Buffer.alloc(4_096), mayLackSum)).to.equal(null)
  })
})
