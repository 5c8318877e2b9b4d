import { expect } from 'chai'
import fc from 'fast-check'
import {
  addToWindow,
  buysOf,
  emptyWindow,
  type SwapWindow,
  slideTo,
  trimWindow,
} from '../../../../processors/chain-a/bursts/window.ts'
import { chainANumbers } from '../../../../schemas/chain-a/numbers.ts'
import { buildHash } from '../../../support/builders/build-facts.ts'
import { windowAt } from '../../../support/oracle/bursts.ts'
import { oracleRules } from '../../../support/oracle/oracle-rules.ts'

type Trade = Readonly<{ atMs: number; ethWei: bigint }>

/** Computes the expected contents of the window with independent code, the oracle. */
function counted(trades: readonly Trade[]) {
  const { net: netWei, buys, sells, recent } = windowAt(trades, trades.length - 1, oracleRules)
  const sizesWei = buys.map(({ ethWei }) => ethWei)
  return { netWei, buys: buys.length, sells, recentNetWei: recent?.net, recentBuys: recent?.buys, sizesWei }
}

const spans = chainANumbers.bursts

/** Trims the window and checks that nothing in it is too old. Returns null if it is empty. */
function trimmed(window: SwapWindow, atMs: number): SwapWindow | null {
  const kept = trimWindow(window, atMs, spans)
  if (kept !== null) expect(kept.atMs[0]).to.be.above(atMs - spans.windowMs)
  return kept
}

describe('the swap window', () => {
  const gapsMs = fc.oneof(fc.constantFrom(0, 0, 1000, 14_999, 15_000, 15_001, 59_999, 60_000, 60_001), fc.nat(4000))
  const isTrimmed = fc.nat(9).map((number) => number === 0)
  const sizes = fc.bigInt({ min: -(10n ** 21n), max: 10n ** 21n }).filter((wei) => wei !== 0n)

  it('equals the oracle’s at every step, however swaps are spaced and trimmed', () => {
    let emptied = 0
    fc.assert(
      fc.property(fc.array(fc.tuple(gapsMs, sizes, isTrimmed), { minLength: 150, maxLength: 250 }), (steps) => {
        let window = emptyWindow()
        const trades: Trade[] = []
        let atMs = 0
        for (const [gapMs, ethWei, isTrim] of steps) {
          atMs += gapMs
          const left = isTrim ? trimmed(window, atMs) : window
          if (left === null) emptied++
          window = left ?? emptyWindow()
          trades.push({ atMs, ethWei })
          addToWindow(window, { blockAtMs: atMs, ethWei, txHash: buildHash(trades.length) })
          slideTo(window, atMs, spans)
          const { netWei, buys, sells, recentNetWei, recentBuys } = window
          const { sizesWei } = buysOf(window)
          expect({ netWei, buys, sells, recentNetWei, recentBuys, sizesWei }).to.deep.equal(counted(trades))
        }
        slideTo(window, atMs + 60_000, spans)
        expect([window.buys, window.sells, window.netWei, window.recentBuys]).to.deep.equal([0, 0, 0n, 0])
      }),
      { numRuns: 25 },
    )
    expect(emptied, 'no trim found the window empty').to.be.above(0)
  })

  it('keeps no more than it needs', () => {
    const window = emptyWindow()
    for (let second = 0; second < 10_000; second++) {
      addToWindow(window, { blockAtMs: second * 1000, ethWei: 1n, txHash: buildHash(second) })
      slideTo(window, second * 1000, spans)
    }
    expect([window.buys, window.recentBuys]).to.deep.equal([60, 15])
    expect(window.atMs.length).to.be.lessThan(200)
  })

  // The swaps are at seconds 0, 1, 2 and so on, so the expired swaps are the first ones.
  const kept: readonly [string, number, number, number][] = [
    ['4 that expired stay, whatever part of all they are', 4, 4, 4],
    ['5 that expired go', 5, 5, 0],
    ['17 that expired of 34 stay: they are half', 34, 17, 34],
    ['18 that expired of 34 go: they are more than half', 34, 18, 16],
  ]
  for (const [name, total, expired, left] of kept)
    it(`lets go of expired swaps in bulk: ${name}`, () => {
      const window = emptyWindow()
      for (let second = 0; second < total; second++)
        addToWindow(window, { blockAtMs: second * 1000, ethWei: 1n, txHash: buildHash(second) })
      slideTo(window, (60 + expired - 1) * 1000, spans)
      expect(window.buys).to.equal(total - expired)
      expect([window.atMs, window.ethWei, window.txHash].map(({ length }) => length)).to.deep.equal([left, left, left])
    })

  it('names each transaction of its buys once, oldest first', () => {
    const window = emptyWindow()
    const trades: readonly [number, bigint][] = [
      [1, 5n],
      [2, -5n],
      [1, 6n],
      [3, 7n],
    ]
    for (const [tx, ethWei] of trades) addToWindow(window, { blockAtMs: 0, ethWei, txHash: buildHash(tx) })
    expect(buysOf(window)).to.deep.equal({ sizesWei: [5n, 6n, 7n], txHashes: [buildHash(1), buildHash(3)] })
  })
})
