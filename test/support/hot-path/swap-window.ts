import { expect } from 'chai'
import fc from 'fast-check'
import type { SwapWindow } from '../../../processors/chain-a/bursts/window.ts'
import { chainANumbers } from '../../../schemas/chain-a/numbers.ts'
import { buildHash } from '../builders/build-facts.ts'
import { windowAt } from '../oracle/bursts.ts'
import { oracleRules } from '../oracle/oracle-rules.ts'

type WindowModule = typeof import('../../../processors/chain-a/bursts/window.ts')
type Trade = Readonly<{ atMs: number; ethWei: bigint }>

/** Computes the expected contents of the window with independent code, the oracle. */
function counted(trades: readonly Trade[]) {
  const { net: netWei, buys, sells, recent } = windowAt(trades, trades.length - 1, oracleRules)
  const sizesWei = buys.map(({ ethWei }) => ethWei)
  return { netWei, buys: buys.length, sells, recentNetWei: recent?.net, recentBuys: recent?.buys, sizesWei }
}

const spans = chainANumbers.bursts
const gapsMs = fc.oneof(fc.constantFrom(0, 0, 1000, 14_999, 15_000, 15_001, 59_999, 60_000, 60_001), fc.nat(4000))
const isTrimmed = fc.nat(9).map((number) => number === 0)
const sizes = fc.bigInt({ min: -(10n ** 21n), max: 10n ** 21n }).filter((wei) => wei !== 0n)

/** Compares the window with the oracle's at every step. Returns how many trims found the window empty. */
export function compareWindows({ addToWindow, buysOf, emptyWindow, slideTo, trimWindow }: WindowModule): number {
  let emptied = 0
  /** Trims the window, and checks that nothing in it is too old. */
  const trimmed = (window: SwapWindow, atMs: number): SwapWindow => {
    const kept = trimWindow(window, atMs, spans)
    if (kept === null) emptied++
    else expect(kept.atMs[0]).to.be.above(atMs - spans.windowMs)
    return kept ?? emptyWindow()
  }
  fc.assert(
    fc.property(fc.array(fc.tuple(gapsMs, sizes, isTrimmed), { minLength: 150, maxLength: 250 }), (steps) => {
      let window = emptyWindow()
      const trades: Trade[] = []
      let atMs = 0
      for (const [gapMs, ethWei, isTrim] of steps) {
        atMs += gapMs
        if (isTrim) window = trimmed(window, atMs)
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
  return emptied
}
