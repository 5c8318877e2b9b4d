import { expect } from 'chai'
import { retryAfterMsOf } from '../../../ingest/node/retry-after.ts'

describe('a wait that a node asks for', () => {
  const nowMs = Date.parse('2026-01-01T00:00:00Z')
  const cases: [string, number][] = [
    ['7', 7_000],
    [' 7 ', 7_000],
    ['0', 0],
    ['60', 60_000],
    ['61', 60_000],
    ['-5', 0],
    ['soon', 0],
    ['Thu, 01 Jan 2026 00:00:09 GMT', 9_000],
    ['2026-01-01T00:00:09+00:00', 9_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['Fri, 02 Jan 2026 00:00:00 GMT', 60_000],
  ]
  for (const [text, expected] of cases)
    it(`is ${expected} ms: "${text}"`, () => {
      expect(retryAfterMsOf(new Headers({ 'retry-after': text }), nowMs)).to.equal(expected)
    })

  it('is none without the header', () => {
    expect(retryAfterMsOf(new Headers(), nowMs)).to.equal(0)
  })
})
