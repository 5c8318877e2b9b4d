/** Describes the markets of a simulated token after each transaction that changes a price or liquidity. */
import type { Hex, MarketId } from '../../../schemas/units.ts'

export type MarketStep = Readonly<{
  second: number
  market: MarketId
  /**
   * The address under which ingest follows the market. For a pool that replaced a completed curve, this is
   * the address of the curve.
   */
  of: Hex
  source: 'curve' | 'pool'
  /** The price in the chain's coin per raw token unit. Null if nothing can be traded. */
  px: number | null
  /** The amount of the chain's coin in the market. */
  depth: number
  /**
   * The remaining share of the liquidity, beginning at 1. Each change of liquidity multiplies this share by
   * after / before, where both are amounts of the chain's coin in the market.
   */
  left: number
}>

/** Returns for each followed market the newest step at or before `second`. */
export function stepsAt(steps: readonly MarketStep[], second: number): readonly MarketStep[] {
  const newest = new Map<Hex, MarketStep>()
  for (const step of steps) {
    if (step.second > second) break
    newest.set(step.of, step)
  }
  return [...newest.values()]
}

/**
 * Returns the market with the most liquidity among the markets with a price. If several have the same
 * liquidity, the lowest address wins.
 */
export function deepestOf(steps: readonly MarketStep[]): MarketStep | null {
  let deepest: MarketStep | null = null
  for (const step of steps) {
    if (step.px === null) continue
    const isDeeper = deepest === null || step.depth > deepest.depth
    if (isDeeper || (step.depth === deepest?.depth && step.market < deepest.market)) deepest = step
  }
  return deepest
}

/**
 * Caches the steps that `play` returned for the most recently used keys. The cache has at most `stepsMax`
 * steps in total.
 */
export function rememberSteps<Key>(
  play: (key: Key) => readonly MarketStep[] | null,
  stepsMax: number,
): (key: Key) => readonly MarketStep[] | null {
  const known = new Map<Key, readonly MarketStep[]>()
  let count = 0
  return (key) => {
    const remembered = known.get(key)
    if (remembered !== undefined) {
      known.delete(key)
      known.set(key, remembered)
      return remembered
    }
    const steps = play(key)
    if (steps === null) return null
    known.set(key, steps)
    count += steps.length
    for (const [oldest, { length }] of known) {
      if (count <= stepsMax || oldest === key) break
      known.delete(oldest)
      count -= length
    }
    return steps
  }
}
