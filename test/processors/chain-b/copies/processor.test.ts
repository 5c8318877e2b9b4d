import { expect } from 'chai'
import { openCopies } from '../../../../processors/chain-b/copies/copy-rows.ts'
import { addPrice, noHistory } from '../../../../processors/chain-b/copies/path.ts'
import { copies } from '../../../../processors/chain-b/copies/processor.ts'
import { mints } from '../../../../processors/chain-b/mints/processor.ts'
import { noMarkets } from '../../../../processors/markets/markets.ts'
import { chainB } from '../../../../processors/stages.ts'
import { shadowRules } from '../../../../schemas/chain-b/copy-rules.ts'
import type { ChainBDerived, CopyClosed, CopyOpened } from '../../../../schemas/chain-b/derived.ts'
import type { ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import { buildHash, second } from '../../../support/builders/build-facts.ts'
import {
  buildCurveCompleted,
  buildCurveFound,
  buildCurveLaunched,
  buildCurveMigrated,
  buildCurveTraded,
  buildPoolTraded,
  given,
  lamports,
  late,
  leftAt,
  testMint,
} from '../../../support/chain-b/build-facts.ts'
import { drawMarket, inPool, leader, onCurve, openedAt } from './draw-market.ts'

const launched = buildCurveLaunched({ blockAtMs: second(0) })
const hour = 3600

const openedIn = (records: readonly ChainBDerived[]): CopyOpened[] =>
  records.flatMap((record) => (record.type === 'CopyOpened' ? [record.data] : []))
const closedIn = (records: readonly ChainBDerived[]): CopyClosed[] =>
  records.flatMap((record) => (record.type === 'CopyClosed' ? [record.data] : []))

/** Returns the records about all followed buys, after the hour of each buy has ended. */
function hoursOf(...facts: readonly ChainBFact[]): CopyClosed[] {
  const then = given([mints, copies], [launched]).when(...facts)
  return closedIn([...then.records, ...then.wokenAt(second(50 * hour)).records])
}
const hoursDrawn = (drawing: string): CopyClosed[] => hoursOf(...drawMarket(600, drawing))

const migrated = (atSec: number, price: number) => buildCurveMigrated({ blockAtMs: second(atSec), ...openedAt(price) })
const completed = (atSec: number) => buildCurveCompleted({ blockAtMs: second(atSec) })

describe('a buy is followed', () => {
  const openedBy = (...facts: readonly ChainBFact[]): number =>
    openedIn(given([mints, copies], [launched]).when(...facts).records).length
  const buy = (quoteRaw: bigint) => buildCurveTraded({ blockAtMs: second(600), quoteRaw })
  const poolBuy = (atSec: number) => inPool(atSec, 100, { sol: 0.2 })
  const cases: readonly [string, number, readonly ChainBFact[]][] = [
    ['of 0.2 SOL exactly', 1, [buy(200_000_000n)]],
    ['not a lamport below', 0, [buy(199_999_999n)]],
    ['not a sale of as much', 0, [buy(-200_000_000n)]],
    ['not a late one', 0, [late(buy(1_000_000_000n))]],
    ['in the pool too', 1, [completed(700), migrated(710, 100), poolBuy(720)]],
    [
      'not the rest of a buy that completed the curve',
      0,
      [completed(700), buildPoolTraded({ blockAtMs: second(700), isBeforeMigration: true }), migrated(710, 100)],
    ],
    ['in the pool until 5 min after the curve was complete', 1, [completed(700), migrated(710, 100), poolBuy(999.999)]],
    ['no longer then: its hour would not be over at the close', 0, [completed(700), migrated(710, 100), poolBuy(1000)]],
    [
      'by the migration, if nothing else says that the curve is complete',
      1,
      [migrated(710, 100), poolBuy(1009), poolBuy(1010)],
    ],
  ]
  for (const [name, count, facts] of cases) it(name, () => expect(openedBy(...facts)).to.equal(count))

  it('of curves against SOL only, and not in mayhem mode', () => {
    for (const terms of [{ quoteMint: buildHash(0xc01) }, { isMayhem: true }]) {
      const opening = buildCurveLaunched({ blockAtMs: second(0), ...terms })
      expect(
        given([mints, copies], [opening])
          .when(buy(10n ** 9n))
          .records.filter(({ type }) => type === 'CopyOpened'),
      ).to.be.empty
    }
    expect(given(copies).when(buy(10n ** 9n)).records, 'never opened').to.be.empty
  })

  it('with what is known at the buy', () => {
    const trade = buildCurveTraded({ blockAtMs: second(600), trader: leader, sol: 1.5, fill: 0.4, logIndex: 3 })
    const { txHash, virtualQuoteRaw, virtualTokenRaw } = trade.data
    expect(openedIn(given([mints, copies], [launched]).when(trade).records)).to.deep.equal([
      {
        ...{ atMs: second(600), txHash, logIndex: 3, slot: 1600, wallet: leader, lamports: lamports(1.5) },
        fillAt: 1 - Number(leftAt(0.4)) / 793.1e12,
        launchAtMs: second(0),
        px: Number(virtualQuoteRaw) / 1e9 / (Number(virtualTokenRaw) / 1e6),
      },
    ])
    const pool = openedIn(
      given([mints, copies], [launched, completed(700), migrated(710, 100)]).when(poolBuy(720)).records,
    )
    expect(pool.map(({ fillAt, px }) => ({ fillAt, px }))).to.deep.equal([{ fillAt: 1, px: 40 / 1e9 }])
  })

  it('of a curve that was found, whose launch nobody may know', () => {
    const found = buildCurveFound({ blockAtMs: second(500), launchAtMs: null })
    const records = given([mints, copies], [found]).when(buy(10n ** 9n)).records
    expect(openedIn(records).map(({ launchAtMs }) => launchAtMs)).to.deep.equal([null])
  })
})

describe('the shadow of a buy', () => {
  /**
   * In a drawing, one word is a minute, and its number is the price. `b100` is the followed buy, at a price
   * of 100.
   */
  const hits: readonly [string, string, boolean][] = [
    ['rises by 35 %', 'b100 120 135.1', true],
    ['rises by 35 % exactly', 'b60 81 48', true],
    ['rises by less', 'b100 120 134.9 100', false],
    ['falls by 20 % before it', 'b100 80 200', false],
    ['falls by less', 'b100 80.1 135.1', true],
    ['falls by 20 % after it', 'b100 135.1 20', true],
    ['does nothing', 'b100', false],
  ]
  for (const [name, drawing, isHit] of hits)
    it(`${isHit ? 'hits' : 'misses'} where the price ${name}: ${drawing}`, () =>
      expect(hoursDrawn(drawing)[0]?.isHit).to.equal(isHit))

  it('counts a trade of the last instant of the hour, and none later', () => {
    const hitAt = (atSec: number) => hoursOf(onCurve(600, 100, { sol: 0.5 }), onCurve(atSec, 140))[0]?.isHit
    expect([hitAt(600 + hour), hitAt(600.001 + hour)]).to.deep.equal([true, false])
  })

  it('counts what comes later in the very slot, and nothing before it', () => {
    const slot = (price: number, sol: number) => onCurve(600, price, { sol })
    expect(hoursOf(slot(50, 0.01), slot(100, 0.5), slot(140, 0.01))[0]?.isHit).to.equal(true)
    expect(hoursOf(slot(140, 0.01), slot(100, 0.5))[0]?.isHit).to.equal(false)
  })

  it('has the price at each mark, the trade of the very instant included', () => {
    const at = (sec: number, price: number) => onCurve(600 + sec, price)
    const facts = [at(10, 110), at(10.001, 111), at(30, 120), at(61, 130), at(299, 140), at(1800, 150), at(3601, 9)]
    const [closed] = hoursOf(onCurve(600, 100, { sol: 0.5 }), ...facts)
    const prices = closed?.path.map((ret) => Math.round((ret + 1) * 100))
    //                                10s  30s  1m   2m   3m   5m   10m  15m  20m  30m  45m  60m
    expect(prices).to.deep.equal([110, 120, 120, 130, 130, 140, 140, 140, 140, 150, 150, 150])
  })

  it('goes on from the curve to its pool, over the pause between them', () => {
    const facts = [
      onCurve(600, 100, { sol: 0.5 }),
      onCurve(700, 120),
      completed(705),
      migrated(800, 119),
      inPool(900, 130),
      inPool(1300, 160),
    ]
    const [closed] = hoursOf(...facts)
    const prices = closed?.path.map((ret) => Math.round((ret + 1) * 100))
    expect(prices).to.deep.equal([100, 100, 100, 120, 120, 130, 130, 160, 160, 160, 160, 160])
    expect(closed?.isHit).to.equal(true)
  })

  it('is closed at the first slot later than its hour', () => {
    const by = (atSec: number) =>
      closedIn(given([mints, copies], [launched]).when(onCurve(600, 100, { sol: 0.5 }), onCurve(atSec, 100)).records)
    expect(by(600 + hour)).to.be.empty
    expect(by(600.001 + hour)).to.have.lengthOf(1)
  })

  it('goes on over a burst of the mint, and a launch that is told again', () => {
    const again = buildCurveLaunched({ blockAtMs: second(700) })
    const facts = [buildCurveTraded({ blockAtMs: second(600), sol: 12 }), again]
    const then = given(chainB.processors, [launched]).when(...facts)
    expect(then.records.map(({ type }) => type)).to.include.members(['Burst', 'CopyOpened'])
    expect(closedIn(then.wokenAt(second(2 * hour)).records)).to.have.lengthOf(1)
  })

  it('is never closed if the curve is found anew, and the state is empty after its close', () => {
    for (const isMayhem of [false, true]) {
      const found = buildCurveFound({ blockAtMs: second(700), launchAtMs: second(0), isMayhem })
      expect(hoursOf(onCurve(600, 100, { sol: 0.5 }), found, onCurve(800, 100))).to.be.empty
    }
    const then = given([mints, copies], [launched]).when(onCurve(600, 100, { sol: 5 }))
    expect(then.wokenAt(second(30 * hour)).driver.counts()).to.deep.equal({ tokens: 0, timers: 0 })
  })
})

describe('the state of followed buys', () => {
  const idle = () => undefined
  const markets = noMarkets()
  const context = {
    token: testMint,
    touchedBlock: 0,
    processedUntilMs: 0,
    emit: idle,
    wakeAt: idle,
    awaitTick: idle,
    move: idle,
    markets,
  }
  /**
   * Returns the state after these facts. With `wokenSec`, the processor's timer has also fired at this time.
   */
  const stateAfter = (facts: readonly ChainBFact[], wokenSec?: number) => {
    const state = copies.initialState()
    for (const fact of [launched, ...facts]) copies.onFact?.(state, fact, context)
    if (wokenSec !== undefined) copies.onWake?.(state, second(wokenSec), context)
    return state.mint
  }

  it('holds nothing of trades that nobody follows', () => {
    expect(stateAfter([onCurve(600, 100), onCurve(601, 100, { sol: -5 })])?.shadows).to.equal(null)
  })

  it('holds no more prices than an hour needs, however long trading goes on', () => {
    const history = noHistory()
    for (let sec = 0; sec < 20_000; sec++) addPrice(history, { atMs: second(sec), px: 1 }, shadowRules.windowMs)
    expect(history.atMs.length).to.be.lessThan(2 * hour + 70)
    expect(history.px).to.have.lengthOf(history.atMs.length)
  })

  it('holds nothing once the hour of the last one is over', () => {
    const buy = onCurve(600, 100, { trader: leader, sol: 2 })
    expect(stateAfter([buy], 599 + hour)?.shadows).not.to.equal(null)
    expect(stateAfter([buy], 600 + hour)?.shadows).to.equal(null)
  })

  it('holds nothing of a buy whose hour is over while the wallet has another', () => {
    const buys = [600, 1200].map((atSec) => onCurve(atSec, 100, { trader: leader, sol: 2 }))
    const shadows = stateAfter(buys, 600 + hour)?.shadows
    expect(shadows && [...openCopies(shadows.copies)].map(({ atMs, wallet }) => [atMs, wallet])).to.deep.equal([
      [second(1200), leader],
    ])
  })
})
