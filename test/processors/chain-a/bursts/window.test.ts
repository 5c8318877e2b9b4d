import { expect } from 'chai'
import * as windowModule from '../../../../processors/chain-a/bursts/window.ts'
import { chainANumbers } from '../../../../schemas/chain-a/numbers.ts'
import { buildHash } from '../../../support/builders/build-facts.ts'
import { compareWindows } from '../../../support/hot-path/swap-window.ts'

const { addToWindow, buysOf, emptyWindow, slideTo } = windowModule
const spans = chainANumbers.bursts

describe('the swap window', () => {
  it('equals the oracle’s at every step, however swaps are spaced and trimmed', () => {
    expect(compareWindows(windowModule), 'no trim found the window empty').to.be.above(0)
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
