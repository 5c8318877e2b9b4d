import { expect } from 'chai'
import fc from 'fast-check'
import { viewed } from '../../../infra/codec/avro/viewed-bytes.ts'

type TextCacheModule = typeof import('../../../infra/codec/avro/text-cache.ts')

/**
 * Texts of 14 to 75 bytes. Many share the eight bytes in the middle, which choose the place in the cache. The
 * cache stores texts of 16 to 72 bytes.
 */
const texts = fc
  .record({
    head: fc.uint8Array({ maxLength: 4 }),
    half: fc.constantFrom(7, 8, 10, 16, 33, 36, 37),
    isOdd: fc.boolean(),
    middle: fc.constantFrom(1, 2, 3, 4, 5, 6),
    tail: fc.uint8Array({ maxLength: 3 }),
  })
  .map(({ head, half, isOdd, middle, tail }) => {
    const bytes = Buffer.alloc(2 * half + Number(isOdd), middle)
    bytes.set(head, 0)
    bytes.set(tail, bytes.length - tail.length)
    return bytes
  })

/** Compares cached texts with the texts of their bytes. Returns how many were not made a second time. */
export function compareCachedTexts({ TextCache }: TextCacheModule): number {
  let [asked, made] = [0, 0]
  fc.assert(
    fc.property(
      fc.array(texts, { minLength: 1, maxLength: 20, size: 'max' }),
      fc.array(fc.nat(19), { maxLength: 200, size: 'max' }),
      (drawn, order) => {
        const cache = new TextCache((bytes, start, end) => {
          made++
          return bytes.toString('hex', start, end)
        })
        for (const number of order) {
          asked++
          const text = drawn[number % drawn.length] as Buffer
          // The text is at another place in its record each time.
          const before = asked % 5
          const record = Buffer.concat([Buffer.alloc(before, 9), text, Buffer.alloc(4, 9)])
          expect(cache.textOf(viewed(record), before, before + text.length)).to.equal(text.toString('hex'))
        }
      },
    ),
  )
  return asked - made
}
