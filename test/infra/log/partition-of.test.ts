import { expect } from 'chai'
import fc from 'fast-check'
import { partitionOf } from '../../../infra/log/partition-of.ts'

/** Kafka's own test data for its hash function, murmur2. */
const hashes: readonly [string, number][] = [
  ['21', -973932308],
  ['foobar', -790332482],
  ['a-little-bit-long-string', -985981536],
  ['a-little-bit-longer-string', -1486304829],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
  ['abc', 479470107],
]

describe('the partition of a key', () => {
  for (const [key, hash] of hashes)
    it(`is that of Kafka for “${key}”, for any number of partitions`, () => {
      for (const count of [1, 2, 3, 4, 7, 12, 1000, 2 ** 31 - 1])
        expect(partitionOf(key, count), `of ${count}`).to.equal((hash & 0x7fffffff) % count)
    })

  it('is one of the declared partitions, for any key', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), fc.integer({ min: 1, max: 64 }), (key, count) => {
        expect(partitionOf(key, count)).to.be.within(0, count - 1)
      }),
    )
  })
})
