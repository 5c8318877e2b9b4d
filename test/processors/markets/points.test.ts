import { expect } from 'chai'
import fc from 'fast-check'
import { addPoint, noPoints, prunePoints, pushPoint, valueAt } from '../../../processors/markets/points.ts'
import { priceMemoryMs } from '../../../schemas/calls/retention.ts'

const pointsOf = (...entries: readonly (readonly [atMs: number, value: number])[]) => {
  const points = noPoints()
  for (const [atMs, value] of entries) addPoint(points, atMs, value)
  return points
}

describe('the prices of a market by second', () => {
  it('keep the last one of each second, which ends with the whole second', () => {
    //  at        9.2   10.0  10.1  10.9         12.3
    //  price      1     2     3     4            5
    //  kept      10: 2        11: 4          13: 5
    const points = pointsOf([9200, 1], [10_000, 2], [10_100, 3], [10_900, 4], [12_300, 5])
    expect(points).to.deep.equal({ atMs: [10_000, 11_000, 13_000], value: [2, 4, 5] })
  })

  const points = pointsOf([10_000, 2], [11_000, 4], [13_000, 5])
  for (const [atMs, value] of [
    [9_999, null],
    [10_000, 2],
    [10_999, 2],
    [11_000, 4],
    [12_999, 4],
    [13_000, 5],
    [99_000, 5],
  ] as const)
    it(`stand until the next one: ${value} at ${atMs}`, () => expect(valueAt(points, atMs)).to.equal(value))

  it('answer as a whole list does for 75 minutes, and do not grow beyond twice that', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 600_000 }), fc.integer({ min: 1, max: 9 })))
    fc.assert(
      fc.property(steps, fc.nat(priceMemoryMs), (drawn, agoMs) => {
        let atMs = 0
        const all: [number, number][] = []
        for (const [stepMs, value] of drawn) {
          atMs += stepMs
          all.push([atMs, value])
        }
        const askedMs = Math.floor((atMs - agoMs) / 1000) * 1000
        const expected = all.findLast(([eachMs]) => eachMs <= askedMs)?.[1] ?? null
        if (askedMs >= atMs - priceMemoryMs) expect(valueAt(pointsOf(...all), askedMs)).to.equal(expected)
      }),
      { numRuns: 300 },
    )
    const busy = pointsOf(...Array.from({ length: 20_000 }, (_, index) => [index * 1000, index] as const))
    expect(busy.atMs.length).to.be.within(4500, 9002)
  })

  it('that are pruned keep the one that stood at the instant', () => {
    const pruned = pointsOf([10_000, 2], [11_000, 4], [13_000, 5])
    prunePoints(pruned, 12_000)
    expect(pruned).to.deep.equal({ atMs: [11_000, 13_000], value: [4, 5] })
    prunePoints(pruned, 9_000)
    expect(pruned.atMs).to.deep.equal([11_000, 13_000])
    prunePoints(pruned, 90_000)
    expect(pruned).to.deep.equal({ atMs: [13_000], value: [5] })
  })

  it('that are pushed stand from their own instants on, several of one instant too', () => {
    const pushed = noPoints()
    for (const [atMs, value] of [
      [9_200, 1],
      [9_900, 2],
      [9_900, 3],
      [10_001, 4],
    ] as const)
      pushPoint(pushed, atMs, value)
    expect(pushed).to.deep.equal({ atMs: [9_200, 9_900, 9_900, 10_001], value: [1, 2, 3, 4] })
    expect([9_199, 9_200, 9_900, 10_000, 10_001].map((atMs) => valueAt(pushed, atMs))).to.deep.equal([null, 1, 3, 3, 4])
  })
})
