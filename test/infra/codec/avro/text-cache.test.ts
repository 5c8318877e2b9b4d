import { expect } from 'chai'
import * as textCacheModule from '../../../../infra/codec/avro/text-cache.ts'
import { viewed } from '../../../../infra/codec/avro/viewed-bytes.ts'
import { compareCachedTexts } from '../../../support/hot-path/cached-texts.ts'

const textsPerReview = 4096
const addresses = Array.from({ length: textsPerReview }, (_, index) => {
  const bytes = Buffer.alloc(20)
  bytes.writeUInt32BE(Math.imul(index, 0x9e3779b1) >>> 0, 8)
  return viewed(bytes)
})

/** Creates a cache whose clock only `read` moves. */
function createTimedCache() {
  let [nowMs, made] = [0, 0]
  const cache = new textCacheModule.TextCache(
    (bytes, start, end) => {
      made++
      return bytes.toString('hex', start, end)
    },
    () => nowMs,
  )
  /**
   * Reads the first `count` addresses after `tookMs`, and checks each text. Returns the number of places then, and how many
   * texts were made.
   */
  const read = (tookMs: number, count = textsPerReview) => {
    nowMs += tookMs
    made = 0
    for (const address of addresses.slice(0, count))
      expect(cache.textOf(address, 0, 20)).to.equal(address.bytes.toString('hex', 0, 20))
    return { size: cache.size, made }
  }
  return { read }
}

describe('the cache of texts', () => {
  it('returns the text of the bytes, also for texts that share a place, and makes few texts two times', () => {
    expect(compareCachedTexts(textCacheModule), 'every text was made each time').to.be.above(100)
  })

  it('has more places while texts come fast', () => {
    const { read } = createTimedCache()
    const sizes = [0, 999, 999, 999, 999, 999].map((tookMs) => read(tookMs).size)
    expect(sizes).to.deep.equal([2048, 4096, 8192, 16_384, 16_384, 16_384])
    expect(read(1000).made, 'few texts are made again in a large cache').to.be.below(1000)
    const slower = createTimedCache()
    expect([1000, 1000].map((tookMs) => slower.read(tookMs).size)).to.deep.equal([1024, 1024])
    expect(slower.read(1000).made, 'most texts are made again in a small cache').to.be.above(3000)
  })

  it('has the fewest places soon after texts have become slow', () => {
    for (const [tookMs, size] of [
      [20_000, 2048],
      [20_001, 1024],
    ] as const) {
      const { read } = createTimedCache()
      read(0)
      expect(read(tookMs, 255).size).to.equal(2048)
      expect(read(0, 1).size).to.equal(size)
    }
  })

  it('keeps its texts while they stay slow', () => {
    const { read } = createTimedCache()
    read(20_001, 256)
    expect(read(20_001, 256).made).to.be.below(100)
  })
})
