import { expect } from 'chai'
import {
  followWatch,
  openWatch,
  scoreWatch,
  scoringOf,
  type Watch,
} from '../../../../processors/chain-b/outcomes/outcome.ts'
import { followTrade, openTrack } from '../../../../processors/chain-b/outcomes/path.ts'
import { exitsOf } from '../../../../processors/exits.ts'
import { launchProduct, launchReserves, unsoldVirtualRaw } from '../../../../schemas/chain-b/curve.ts'
import type { BurstOutcome } from '../../../../schemas/chain-b/derived.ts'
import type { CurveTraded } from '../../../../schemas/chain-b/facts.ts'
import { chainBNumbers } from '../../../../schemas/chain-b/numbers.ts'
import { second } from '../../../support/builders/build-facts.ts'
import { buildCurveTraded, lamports } from '../../../support/chain-b/build-facts.ts'

const signalPx = 40 ** 2

/** A trade that leaves so much virtual SOL on a standard curve, and so the square of it as the price. The signal is at 40. */
function at(atSec: number, virtualSol: number, fields: Partial<CurveTraded> & Readonly<{ sol?: number }> = {}) {
  const virtualQuoteRaw = lamports(virtualSol)
  const virtualTokenRaw = (launchProduct + virtualQuoteRaw - 1n) / virtualQuoteRaw
  const reserves = {
    virtualQuoteRaw,
    virtualTokenRaw,
    realQuoteRaw: virtualQuoteRaw - launchReserves.quoteRaw,
    realTokenRaw: virtualTokenRaw - unsoldVirtualRaw,
  }
  return buildCurveTraded({ blockAtMs: second(atSec), ...reserves, ...fields }).data
}

const scoring = scoringOf(chainBNumbers.outcomes)
const signal = at(0, 40)

/** The virtual SOL at which the price is that many times the signal price, on the safe side of the limit. */
const solAt = (ratio: number) => Math.sqrt(ratio * signalPx)

function watchOf(...trades: readonly CurveTraded[]): Watch {
  const watch = openWatch(second(0), [signal], { last: signal, scoring })
  for (const trade of trades) followWatch(watch, trade, scoring)
  return watch
}

const scored = (...trades: readonly CurveTraded[]): BurstOutcome => scoreWatch(watchOf(...trades), null, scoring)
const completedAt = (atSec: number, ...trades: readonly CurveTraded[]): BurstOutcome =>
  scoreWatch(watchOf(...trades), second(atSec), scoring)

/** `reason@second` of a rule, or the reason alone. */
function exitOf({ exits }: BurstOutcome, name: string): string {
  const { why, sec } = exits.find(({ rule }) => rule === name)!
  return sec === null ? why : `${why}@${sec}`
}

const returnAt = (virtualSol: number) => virtualSol ** 2 / signalPx - 1 - 0.025

describe('the outcome of a burst of chain B', () => {
  const rules: readonly (readonly [string, string, CurveTraded[], string])[] = [
    ['stop', 'hold', [at(10, solAt(0.8499))], 'stop@10'],
    ['does not stop above -15 %', 'hold', [at(10, solAt(0.8501))], 'held'],
    ['fades 5 SOL below the mark', 'live', [at(5, 41, { sol: 2 }), at(9, 40, { sol: -5 })], 'burst_fade@9'],
    ['does not fade a lamport less', 'live', [at(9, 40, { quoteRaw: -4_999_999_999n })], 'held'],
    ['fades from a mark of 0', 'live', [at(9, 40, { sol: -5 })], 'burst_fade@9'],
    ['fades 2 SOL below the mark', 'fade-2', [at(9, 40, { sol: -2 })], 'burst_fade@9'],
    ['does not fade a lamport less', 'fade-2', [at(9, 40, { quoteRaw: -1_999_999_999n })], 'held'],
    ['stalls a minute after the signal', 'stall', [at(60.001, 41)], 'burst_stall@60'],
    ['does not stall at a trade of that instant', 'stall', [at(60, 41), at(1190, 40.5)], 'burst_stall@120'],
    ['does not take an equal price for a high', 'stall', [at(30, 40), at(61, 40)], 'burst_stall@60'],
    ['takes a profit of half', 'take-profit-50', [at(10, solAt(1.5001))], 'take_profit@10'],
    ['takes none below', 'take-profit-50', [at(10, solAt(1.4999))], 'held'],
    ['takes a profit of the whole', 'take-profit-100', [at(10, solAt(2.0001))], 'take_profit@10'],
    ['takes none below', 'take-profit-100', [at(10, solAt(1.9999))], 'held'],
    ['trails a fifth below the high', 'trail-20', [at(5, solAt(1.5)), at(10, solAt(1.5 * 0.7999))], 'trail@10'],
    ['does not trail above', 'trail-20', [at(5, solAt(1.5)), at(10, solAt(1.5 * 0.8001))], 'held'],
    ['is stopped before it trails', 'trail-20', [at(5, solAt(1.05)), at(10, solAt(0.83))], 'stop@10'],
    ['leaves after 5 min', 'time-5m', [at(300, 41), at(300.001, 42)], 'time@300'],
    ['leaves after 10 min', 'time-10m', [at(600, 41), at(601, 42)], 'time@600'],
    ['stays out', 'take-profit-50', [at(10, solAt(1.6)), at(11, solAt(0.5))], 'take_profit@10'],
  ]
  for (const [name, rule, trades, expected] of rules)
    it(`${rule}: ${name}`, () => expect(exitOf(scored(...trades), rule)).to.equal(expected))

  it('stops at 85 % of the signal price exactly', () => {
    const exitAt = (px: number) => {
      const track = openTrack(0, 100, scoring)
      followTrade(track, { atMs: 1000, px, lamports: 0 }, scoring)
      return exitsOf(track, scoring).map(({ why }) => why)
    }
    expect(new Set(exitAt(85))).to.deep.equal(new Set(['stop']))
    expect(exitAt(85.001)).not.to.include('stop')
  })

  it('has the return of the live rule as its own', () => {
    const faded = scored(at(9, 38, { sol: -5 }), at(20, 45))
    expect(faded.ruleRet).to.be.closeTo(returnAt(38), 1e-12)
    expect(faded.ret20m).to.be.closeTo(returnAt(45), 1e-12)
    const stayed = completedAt(30, at(9, 41), at(20, 45))
    expect(stayed.ruleRet).to.be.closeTo(returnAt(45), 1e-12)
    expect(exitOf(stayed, 'live')).to.equal('graduated@30')
  })

  it('leaves in time at the last price before, and at a trade at its price', () => {
    const outcome = scored(at(200, 41), at(400, 45), at(450, 30))
    const retOf = (name: string) => outcome.exits.find(({ rule }) => rule === name)?.ret
    expect(retOf('time-5m')).to.be.closeTo(returnAt(41), 1e-12)
    expect(retOf('hold')).to.be.closeTo(returnAt(30), 1e-12)
    expect(outcome.peakRet).to.be.closeTo(returnAt(45), 1e-12)
    expect(outcome.ret20m).to.be.closeTo(returnAt(30), 1e-12)
  })

  it('without a trade is the signal price less the costs, at every exit', () => {
    const { peakRet, gradRet, ret20m, ruleRet, exits } = scored()
    for (const ret of [peakRet, ret20m, ruleRet, ...exits.map((exit) => exit.ret)]) expect(ret).to.equal(-0.025)
    expect(gradRet).to.equal(null)
    expect(exits.map(({ why }) => why)).to.deep.equal([
      'held',
      'held',
      'held',
      'burst_stall',
      'held',
      'held',
      'held',
      'time',
      'time',
    ])
  })

  it('at completion takes everybody out at the last price, but those whose time ran out before', () => {
    const outcome = completedAt(300, at(290, 44))
    expect(exitOf(outcome, 'hold')).to.equal('graduated@300')
    expect(exitOf(outcome, 'stall')).to.equal('burst_stall@60')
    expect(exitOf(outcome, 'time-5m'), 'its instant has not run out').to.equal('graduated@300')
    expect(exitOf(completedAt(301, at(290, 44)), 'time-5m')).to.equal('time@300')
    expect([outcome.completedAtMs, outcome.ret20m]).to.deep.equal([second(300), null])
    expect(outcome.gradRet).to.be.closeTo(returnAt(44), 1e-12)
  })

  it('lets an instant at the end of the 20 minutes run out', () => {
    expect(exitOf(scored(at(1140, 41)), 'stall')).to.equal('burst_stall@60')
    const climbing = Array.from({ length: 39 }, (_, step) => at((step + 1) * 30, 40 + step / 10))
    expect(exitOf(scored(...climbing.slice(0, 38)), 'stall')).to.equal('burst_stall@1200')
    expect(exitOf(scored(...climbing), 'stall')).to.equal('held')
    const last = at(1140.001, 44)
    expect(exitOf(scored(...climbing.slice(0, 37), last), 'stall'), 'a millisecond later').to.equal('held')
  })

  it('prices by the quotient of the reserves from one trade of a non-standard curve on, throughout', () => {
    const odd = { realQuoteRaw: lamports(9) }
    const early = scored(at(10, 44, odd), at(20, 42))
    const quotient = (trade: CurveTraded) => Number(trade.virtualQuoteRaw) / Number(trade.virtualTokenRaw)
    expect(early.isNonStandardCurve).to.equal(true)
    expect(early.ret20m).to.be.closeTo(quotient(at(20, 42)) / quotient(signal) - 1.025, 1e-12)
    expect(scored(at(10, 44), at(20, 42, { isMayhem: true })).isNonStandardCurve).to.equal(true)
    expect(scored(at(10, 44), at(20, 42)).isNonStandardCurve).to.equal(false)
  })

  it('looks at every trade of the signal slot for that', () => {
    const watch = openWatch(second(0), [at(0, 39, { isMayhem: true }), signal], { last: signal, scoring })
    expect(scoreWatch(watch, null, scoring).isNonStandardCurve).to.equal(true)
  })
})
