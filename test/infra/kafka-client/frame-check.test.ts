import { expect } from 'chai'
import fc from 'fast-check'
import { createFrameCheck, frameBytesMax } from '../../../infra/kafka-client/frame-check.ts'

const frameOf = (length: number): Buffer => {
  const frame = Buffer.alloc(4 + length)
  frame.writeUInt32BE(length, 0)
  return frame
}
const head = (length: number): Buffer =>
  frameOf(0)
    .fill(0)
    .map((_, at) => (length >>> (24 - 8 * at)) & 255) as Buffer

describe('the frames of a connection', () => {
  it('pass in pieces of any size', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 4, max: 60 })), fc.integer({ min: 1, max: 70 }), (lengths, size) => {
        const check = createFrameCheck()
        const bytes = Buffer.concat(lengths.map(frameOf))
        for (let at = 0; at < bytes.length; at += size) expect(check(bytes.subarray(at, at + size))).to.equal(null)
      }),
    )
  })

  it('have at least the number of their request, and at most 32 MB', () => {
    for (const length of [4, frameBytesMax]) expect(createFrameCheck()(head(length))).to.equal(null)
    for (const length of [0, 3, frameBytesMax + 1, 2 ** 31 - 1, 2 ** 32 - 1])
      expect(createFrameCheck()(head(length))).to.include(`${length} bytes`)
  })

  it('are refused at a wrong length behind a right one, as soon as its last byte is there', () => {
    const check = createFrameCheck()
    expect(check(Buffer.concat([frameOf(9), head(2).subarray(0, 3)]))).to.equal(null)
    expect(check(head(2).subarray(3))).to.include('2 bytes')
  })
})
