import { expect } from 'chai'
import {
  deepestAt,
  firstPriceAfter,
  hasPast,
  holds,
  priceAt,
  pricesIn,
  prunePath,
} from '../../../processors/calls/path.ts'
import { second } from '../../support/build-facts.ts'
import { buildPath, closeAt, onePool, otherPool } from '../../support/build-path.ts'

const within = (fromSec: number, toSec: number) => ({ fromMs: second(fromSec), toMs: second(toSec) })

describe('the market that prices a token at an instant', () => {
  //  second   0      10            20             30
  //  one      px     depth 5       depth 1
  //  other           px, depth 2                  closed
  const path = closeAt(
    buildPath([
      { atSec: 0, px: 1 },
      { atSec: 10, px: 2, depth: 2, market: otherPool },
      { atSec: 10, depth: 5 },
      { atSec: 20, depth: 1 },
    ]),
    30,
    { market: otherPool },
  )
  for (const [atSec, market] of [
    [-1, undefined],
    [0, onePool],
    [9, onePool],
    [10, onePool],
    [19, onePool],
    [20, otherPool],
    [29, otherPool],
    [30, onePool],
  ] as const)
    it(`is ${market ?? 'none'} in second ${atSec}`, () =>
      expect(deepestAt(path, second(atSec))?.market).to.equal(market))

  it('is the first by address among equals', () => {
    const equal = buildPath([
      { atSec: 0, px: 1, depth: 3, market: otherPool },
      { atSec: 0, px: 1, depth: 3 },
    ])
    expect(deepestAt(equal, second(0))?.market).to.equal(onePool)
  })
})

describe('the prices of a market', () => {
  //  second   0    5    10           12    20
  //  one      1    2    closed
  //  other         7                 8     9
  const samples = [
    { atSec: 0, px: 1 },
    { atSec: 5, px: 2 },
    { atSec: 5, px: 7, market: otherPool },
    { atSec: 12, px: 8, market: otherPool },
    { atSec: 20, px: 9, market: otherPool },
  ]

  it('go on in the market that took its place', () => {
    const path = closeAt(buildPath(samples), 10, { next: otherPool })
    expect([4, 9, 10, 12, 25].map((atSec) => priceAt(path, onePool, second(atSec)))).to.deep.equal([1, 2, 7, 8, 9])
    expect(pricesIn(path, onePool, within(0, 20))).to.deep.equal([2, 7, 8, 9])
    expect(pricesIn(path, onePool, within(0, 9))).to.deep.equal([2])
    expect(pricesIn(path, onePool, within(0, 10))).to.deep.equal([2, 7])
    expect(pricesIn(path, onePool, within(10, 20))).to.deep.equal([8, 9])
    expect(pricesIn(path, onePool, within(5, 5))).to.deep.equal([])
  })

  it('end where nothing took its place', () => {
    const path = closeAt(buildPath(samples), 10)
    expect([9, 10].map((atSec) => priceAt(path, onePool, second(atSec)))).to.deep.equal([2, null])
    expect(priceAt(path, '0xcc', second(9))).to.equal(null)
  })

  it('are searched for the first one after an instant, on any market', () => {
    const path = buildPath(samples)
    const firstAfter = (fromSec: number, toSec: number) => firstPriceAfter(path, second(fromSec), second(toSec))
    expect(firstAfter(-5, 20)).to.equal(second(0))
    expect(firstAfter(0, 20)).to.equal(second(5))
    expect(firstAfter(5, 12)).to.equal(second(12))
    expect(firstAfter(5, 11)).to.equal(null)
    expect(firstAfter(20, 99)).to.equal(null)
  })

  it('are forgotten 75 minutes later, all but the one that stands', () => {
    const path = closeAt(buildPath(samples), 10, { next: otherPool })
    expect(prunePath(path, second(10 + 4499))).to.equal(true)
    expect(priceAt(path, onePool, second(9))).to.equal(2)
    expect(prunePath(path, second(10 + 4500))).to.equal(true)
    expect(path.lines.map(({ market }) => market)).to.deep.equal([otherPool])
    expect(prunePath(path, second(20 + 4500))).to.equal(false)
    expect(path.lines[0]?.prices).to.deep.equal({ atMs: [second(20)], value: [9] })
  })

  it('will be forgotten from the second one on, or once the market is closed', () => {
    const [one, two] = [
      [{ atSec: 0, px: 1 }],
      [
        { atSec: 0, px: 1 },
        { atSec: 5, px: 2 },
      ],
    ]
    expect([buildPath([]), buildPath(one), buildPath(two), closeAt(buildPath(one), 10)].map(hasPast)).to.deep.equal([
      ...[false, false, true, true],
    ])
  })

  it('are held for 75 minutes before the newest, and before the instant of the last pruning', () => {
    const path = buildPath(samples)
    expect([20 - 4500, 20 - 4501].map((atSec) => holds(path, second(atSec)))).to.deep.equal([true, false])
    prunePath(path, second(100))
    expect([100 - 4500, 100 - 4501].map((atSec) => holds(path, second(atSec)))).to.deep.equal([true, false])
  })
})
