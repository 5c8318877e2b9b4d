/**
 * Measures the purchases in the window of a burst. Several purchases in one slot or of equal size are often
 * by one person with several wallets.
 */
import assert from 'node:assert/strict'
import type { BurstAnatomy } from '../../../schemas/chain-b/derived.ts'
import type { ChainBNumbers } from '../../../schemas/chain-b/numbers.ts'
import type { Buy } from '../bursts/window.ts'

/** The fields of the record that are computed from trades alone, without a lookup of the holders. */
export type BuyersAnatomy = Omit<BurstAnatomy, 'atMs' | 'holdersTop10' | 'holderTop1'>

type BundleRule = Pick<ChainBNumbers['anatomy'], 'bundleBuysMin'>

/** Measures the purchases. There must be at least one. Sums are whole lamports, so only shares are rounded. */
export function measureBuys(buys: readonly Buy[], { bundleBuysMin }: BundleRule): BuyersAnatomy {
  const countOfSlot = countBy(buys.map(({ slot }) => slot))
  const sizes = buys.map(({ lamports }) => lamports)
  const total = sum(sizes)
  const isBundled = ({ slot }: Buy): boolean => {
    const count = countOfSlot.get(slot)
    assert(count !== undefined)
    return count >= bundleBuysMin
  }
  const bundled = sum(buys.filter(isBundled).map(({ lamports }) => lamports))
  const top3 = sum([...sizes].sort((left, right) => right - left).slice(0, 3))
  return {
    buys: buys.length,
    wallets: [...new Set(buys.map(({ buyer }) => buyer))],
    sameSlotMax: Math.max(...countOfSlot.values()),
    bundledShare: bundled / total,
    sameSizeMax: Math.max(...countBy(sizes).values()),
    top3Share: top3 / total,
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

function countBy(values: readonly number[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}
