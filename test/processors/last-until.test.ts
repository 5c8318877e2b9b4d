import { expect } from 'chai'
import fc from 'fast-check'
import { lastUntil } from '../../processors/last-until.ts'

describe('the last of rising instants that is not later', () => {
  for (const [what, atMs, untilMs, index] of [
    ['none in no instants', [], 5, -1],
    ['none before the first', [10, 20], 9, -1],
    ['the first at its very instant', [10, 20], 10, 0],
    ['the one before, between two', [10, 20], 19, 0],
    ['the last behind all', [10, 20], 99, 1],
    ['the newest of equal ones', [10, 10, 20], 10, 1],
  ] as const)
    it(`is ${what}`, () => {
      expect(lastUntil(atMs, untilMs)).to.equal(index)
    })

  it('is what looking through all of them finds', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50), { maxLength: 40 }), fc.nat(60), (unsorted, untilMs) => {
        const atMs = unsorted.sort((one, other) => one - other)
        expect(lastUntil(atMs, untilMs)).to.equal(atMs.filter((each) => each <= untilMs).length - 1)
      }),
    )
  })
})
