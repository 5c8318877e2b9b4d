import { expect } from 'chai'
import fc from 'fast-check'
import {
  addToWindow,
  buysOf,
  emptyWindow,
  leftAtStartOf,
  slideTo,
  type TradeWindow,
  trimWindow,
} from '../../../../processors/chain-b/bursts/window.ts'
import type { CurveTraded } from '../../../../schemas/chain-b/facts.ts'
import { chainBNumbers } from '../../../../schemas/chain-b/numbers.ts'
import { buildCurveTraded } from '../../../support/chain-b/build-facts.ts'
import { leftBefore, sum, tradesWithin } from '../../../support/oracle/chain-b/bursts.ts'
import { rules } from '../../../support/oracle/chain-b/rules.ts'

/** Computes the expected contents of the window with independent code, the oracle, in exact integers. */
function counted(trades: readonly CurveTraded[], atMs: number) {
  const within = (windowMs: number) => tradesWithin(trades, { slot: trades.length, atMs, windowMs }, rules)
  const buys = (some: readonly CurveTraded[]) => some.filter(({ quoteRaw }) => quoteRaw > 0n)
  const [window, recent] = [within(rules.windowMs), within(rules.recentMs ?? 0)]
  return {
    ...{ net: sum(window), recentNet: sum(recent), recentBuys: buys(recent).length },
    buys: buys(window).map(({ blockNumber: slot, quoteRaw, trader: buyer }) => ({
      ...{ slot, lamports: Number(quoteRaw), buyer },
    })),
    left: window[0] === undefined ? 0n : leftBefore(window[0]),
  }
}

const spans = chainBNumbers.bursts

/** Trims the window and checks that nothing in it is too old. Returns null if it is empty. */
function trimmed(window: TradeWindow, atMs: number): TradeWindow | null {
  const kept = trimWindow(window, atMs, spans)
  if (kept !== null) expect(kept.atMs[0]).to.be.above(atMs - spans.windowMs)
  return kept
}

describe('the trade window of chain B', () => {
  const gapsMs = fc.oneof(fc.constantFrom(0, 0, 1000, 14_999, 15_000, 15_001, 59_999, 60_000, 60_001), fc.nat(4000))
  const isTrimmed = fc.nat(9).map((number) => number === 0)
  /** Up to 10,000 SOL, a hundred times the SOL of a full curve. */
  const sizes = fc.bigInt({ min: -(10n ** 13n), max: 10n ** 13n })
  const left = fc.bigInt({ min: 0n, max: 793_100_000_000_000n })

  it('equals the oracle’s at every step, however trades are spaced and trimmed', () => {
    let emptied = 0
    fc.assert(
      fc.property(fc.array(fc.tuple(gapsMs, sizes, left, isTrimmed), { minLength: 150, maxLength: 250 }), (steps) => {
        let window = emptyWindow()
        const trades: CurveTraded[] = []
        let atMs = 0
        for (const [gapMs, quoteRaw, realTokenRaw, isTrim] of steps) {
          atMs += gapMs
          const kept = isTrim ? trimmed(window, atMs) : window
          if (kept === null) emptied++
          window = kept ?? emptyWindow()
          const place = { blockAtMs: atMs, blockNumber: trades.length }
          const { data } = buildCurveTraded({ ...place, quoteRaw, tokenRaw: quoteRaw * 80n, realTokenRaw })
          trades.push(data)
          addToWindow(window, data)
          slideTo(window, atMs, spans)
          expect({
            net: BigInt(window.netLamports),
            recentNet: BigInt(window.recentNetLamports),
            recentBuys: window.recentBuys,
            buys: buysOf(window),
            left: BigInt(leftAtStartOf(window)),
          }).to.deep.equal(counted(trades, atMs))
        }
      }),
      { numRuns: 15 },
    )
    expect(emptied, 'no trim found the window empty').to.be.above(0)
  })

  it('keeps no more than it needs', () => {
    const window = emptyWindow()
    for (let second = 0; second < 10_000; second++) {
      addToWindow(window, buildCurveTraded({ blockAtMs: second * 1000 }).data)
      slideTo(window, second * 1000, spans)
    }
    expect(buysOf(window)).to.have.lengthOf(60)
    expect(window.atMs.length).to.be.lessThan(200)
  })
})
