import { expect } from 'chai'
import {
  closeTrade,
  judgeLeft,
  judgePx,
  type OpenTrade,
  openTrade,
  timeOutAtMs,
} from '../../../processors/desk/trade.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { chainADesk } from '../../../schemas/chain-a/desk.ts'
import { chainANumbers } from '../../../schemas/chain-a/numbers.ts'
import { chainBDesk } from '../../../schemas/chain-b/desk.ts'
import { chainBNumbers } from '../../../schemas/chain-b/numbers.ts'
import { deskRules } from '../../../schemas/desk/rules.ts'

const exit = { stopRatio: 0.85, takeProfitRatio: 1.5, trailFromRatio: 1.25, trailRatio: 0.8, timeMs: 600_000 }
const fill = { market: '0xb0', openedAtMs: 3000 } as const
const costRatio = 0.02

const judge = (position: OpenTrade, standing: Readonly<{ px: number; left: number }>) =>
  judgeLeft(position, standing, deskRules.rugLeftRatioMax) ?? judgePx(position, standing, exit)

/** Plays one price per second after an entry at 100. Closes the position at the first price that is an exit. */
const play = (prices: readonly number[], lefts: readonly number[] = []) => {
  const position = openTrade(fill, { atMs: 2000, px: 100, left: 1 })
  for (const [index, px] of prices.entries()) {
    const standing = { atMs: 4000 + 1000 * index, px, left: lefts[index] ?? 1 }
    const why = judge(position, standing)
    if (why !== null) return closeTrade(position, { why, atMs: standing.atMs, costRatio })
  }
  return closeTrade(position, { why: 'time', atMs: timeOutAtMs(position, exit), costRatio })
}

describe('a position of the desk', () => {
  //                    prices, 100 at the fill          exit           px    high   at
  const cases = [
    ['stop at the limit', [90, 85], 'stop', 85, 100, 5000],
    ['no stop above it', [85.01], 'time', 85.01, 100, 603_000],
    ['a gap through the stop, at the worse price', [99, 40], 'stop', 40, 100, 5000],
    ['take-profit at the limit', [149.9, 150], 'take_profit', 150, 150, 5000],
    ['a gap through the take-profit, at its price', [220], 'take_profit', 220, 220, 4000],
    ['a trail that is active', [125, 100], 'trail', 100, 125, 5000],
    ['a trail that is not active yet', [124.9, 99], 'time', 99, 124.9, 603_000],
    ['a trail above its limit', [125, 100.1], 'time', 100.1, 125, 603_000],
    ['a stop before a trail at one trade', [140, 80], 'stop', 80, 140, 5000],
    ['time at the last price', [101, 102], 'time', 102, 102, 603_000],
    ['time without a trade', [], 'time', 100, 100, 603_000],
  ] as const
  for (const [name, prices, why, px, high, atMs] of cases)
    it(`is left by ${name}`, () => {
      const closed = play(prices)
      expect(closed).to.include({ exit: why, closedAtMs: atMs, openedAtMs: 3000, market: '0xb0' })
      expect(closed.ret).to.equal(px / 100 - 1 - costRatio)
      expect(closed.peakRet).to.equal(high / 100 - 1 - costRatio)
    })

  it('is worth nothing after a rug, whatever the price says, and keeps its peak', () => {
    const closed = play([120, 120], [1, 0.2])
    expect(closed).to.deep.include({ exit: 'rug', ret: -1 - costRatio, closedAtMs: 5000 })
    expect(closed.peakRet).to.equal(1.2 - 1 - costRatio)
    expect(play([120, 120], [1, 0.2001]).exit).to.equal('time')
  })

  it('measures a rug by the liquidity at its own fill', () => {
    const position = openTrade(fill, { atMs: 2000, px: 100, left: 0.5 })
    expect(judge(position, { px: 100, left: 0.11 })).to.equal(null)
    expect(judge(position, { px: 100, left: 0.1 })).to.equal('rug')
  })

  it('has the costs and the rug of the outcomes', () => {
    expect([chainADesk.costRatio, chainBDesk.costRatio]).to.deep.equal([
      chainANumbers.outcomes.costRatio,
      chainBNumbers.outcomes.costRatio,
    ])
    const { rugLeftRatioMax } = chainANumbers.outcomes
    expect([deskRules.rugLeftRatioMax, callRules.rugLeftRatioMax]).to.deep.equal([rugLeftRatioMax, rugLeftRatioMax])
  })
})

describe('the lanes', () => {
  for (const [name, desk] of [
    ['a', chainADesk],
    ['b', chainBDesk],
  ] as const)
    it(`of chain ${name} have names of their own, and twins of lanes with the same exit`, () => {
      const names = desk.lanes.map((lane) => lane.name)
      expect(new Set(names).size).to.equal(names.length)
      for (const { twins, exit: own } of desk.lanes) {
        if (!('sameAs' in twins)) continue
        const other = desk.lanes.find((lane) => lane.name === twins.sameAs)
        expect(other?.exit).to.deep.equal(own)
        expect(other?.twins).not.to.have.property('sameAs')
      }
    })
})
