import { expect } from 'chai'
import {
  addMove,
  forgetAllBut,
  movedAtMs,
  newestOf,
  newPath,
  type Path,
  standingAt,
  standingsAfter,
  standingsMax,
} from '../../../processors/desk/moves.ts'
import { deskRules } from '../../../schemas/desk/rules.ts'

const price = (atMs: number, px: number) => ({ type: 'price', market: '0xb0', atMs, px }) as const
const countOf = ({ standings }: Path) => standings.length / 3
const pull = (atMs: number, ratio: number) => ({ type: 'pull', market: '0xb0', atMs, ratio }) as const

describe('what the desk remembers of a market', () => {
  //   1000   2000        3000
  //   px 1   px 2, px 3  half of the liquidity goes
  const path = newPath('0xb0')
  for (const move of [price(1000, 1), price(2000, 2), price(2000, 3), pull(3000, 0.5)]) addMove(path, move)

  for (const [atMs, expected] of [
    [999, null],
    [1000, { atMs: 1000, px: 1, left: 1 }],
    [1999, { atMs: 1000, px: 1, left: 1 }],
    [2000, { atMs: 2000, px: 3, left: 1 }],
    [3000, { atMs: 3000, px: 3, left: 0.5 }],
    [9000, { atMs: 3000, px: 3, left: 0.5 }],
  ] as const)
    it(`is the last move at or before ${atMs}`, () => expect(standingAt(path, atMs)).to.deep.equal(expected))

  it('tells what came after an instant', () => {
    expect(standingsAfter(path, 1000).map(({ px }) => px)).to.deep.equal([2, 3, 3])
    expect(standingsAfter(path, 3000)).to.deep.equal([])
  })

  it('says nothing of a market that has ended or is empty, or of a pull before the first price', () => {
    expect(standingAt({ ...path, endedAtMs: 2500 }, 2500)).to.equal(null)
    expect(standingAt({ ...path, endedAtMs: 2500 }, 2499)?.px).to.equal(3)
    const empty = newPath('0xb0')
    expect([addMove(empty, pull(1, 0.5)), movedAtMs(empty)]).to.deep.equal([false, Number.NEGATIVE_INFINITY])
    addMove(empty, price(2, 5))
    addMove(empty, pull(3, 0))
    expect(standingAt(empty, 3)).to.equal(null)
  })

  it('keeps two minutes, and at most so many moves', () => {
    const long = newPath('0xb0')
    for (let at = 0; at < 2000; at++) addMove(long, price(at * 1000, at + 1))
    const oldest = long.standings[0] ?? 0
    expect(oldest).to.be.at.most(1_999_000 - deskRules.memoryMs)
    expect(countOf(long)).to.be.below(300)
    const flood = newPath('0xb0')
    for (let at = 0; at < 3 * standingsMax; at++) addMove(flood, price(5, at + 1))
    expect(countOf(flood)).to.be.at.most(standingsMax)
    expect(standingAt(flood, 5)?.px).to.equal(3 * standingsMax)
  })

  it('keeps the last price of a market that rests', () => {
    const resting = newPath('0xb0')
    for (const at of [1, 2, 3]) addMove(resting, price(at, at))
    forgetAllBut(resting, 3 + deskRules.memoryMs)
    expect([countOf(resting), movedAtMs(resting)]).to.deep.equal([3, 3])
    forgetAllBut(resting, 4 + deskRules.memoryMs)
    expect([countOf(resting), newestOf(resting)]).to.deep.equal([1, { atMs: 3, px: 3, left: 1 }])
  })
})
