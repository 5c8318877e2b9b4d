import { expect } from 'chai'
import * as textCacheModule from '../../../../infra/codec/avro/text-cache.ts'
import { viewed } from '../../../../infra/codec/avro/viewed-bytes.ts'
import { compareCachedTexts } from '../../../support/hot-path/cached-texts.ts'

describe('the cache of texts', () => {
  it('returns the text of the bytes, also for texts that share a place, and makes few texts two times', () => {
    expect(compareCachedTexts(textCacheModule), 'every text was made each time').to.be.above(100)
  })

  it('has more places while texts come fast, and the fewest once they come slowly', () => {
    let [nowMs, made] = [0, 0]
    const cache = new textCacheModule.TextCache(
      (bytes, start, end) => {
        made++
        return bytes.toString('hex', start, end)
      },
      () => nowMs,
    )
    const addresses = Array.from({ length: 4096 }, (_, index) => {
      const bytes = Buffer.alloc(20)
      bytes.writeUInt32BE(Math.imul(index, 0x9e3779b1) >>> 0, 8)
      return viewed(bytes)
    })
    /** Reads all addresses within the time. Returns how many texts the cache can hold then, and how many were made. */
    const readAll = (tookMs: number) => {
      nowMs += tookMs
      made = 0
      for (const address of addresses)
        expect(cache.textOf(address, 0, 20)).to.equal(address.bytes.toString('hex', 0, 20))
      return { size: cache.size, made }
    }
    const sizes = [0, 999, 999, 999, 999, 999].map((tookMs) => readAll(tookMs).size)
    expect(sizes).to.deep.equal([2048, 4096, 8192, 16_384, 16_384, 16_384])
    expect(readAll(20_000).made, 'few texts are made again in a large cache').to.be.below(1000)
    expect(readAll(1000).size, 'neither fast nor slow').to.equal(16_384)
    expect(readAll(20_001).size).to.equal(1024)
    expect(readAll(1000)).to.satisfy(({ size, made }: ReturnType<typeof readAll>) => size === 1024 && made > 3000)
  })
})
