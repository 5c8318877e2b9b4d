/** The state of a simulated token after each transaction that changes a price or liquidity. */
import type { Hex, MarketId } from '../../../schemas/units.ts'

export type MarketStep = Readonly<{
  second: number
  market: MarketId
  /** The market under which it is followed. For the pool of a curve, this is the curve. */
  of: Hex
  source: 'curve' | 'pool'
  /** Coin per raw token unit. Null if nothing can be traded. */
  px: number | null
  /** The liquidity to trade against, in the coin. */
  depth: number
  /**
   * The remaining share of the liquidity: over all transactions that changed it, the product of the ratio of its coin
   * side after to before. Starts at 1.
   */
  left: number
}>

/** The newest step of each followed market, up to a second. */
export function standingAt(steps: readonly MarketStep[], second: number): readonly MarketStep[] {
  const newest = new Map<Hex, MarketStep>()
  for (const step of steps) {
    if (step.second > second) break
    newest.set(step.of, step)
  }
  return [...newest.values()]
}

/** The deepest market with a price. Among equals, the one with the lowest address. */
export function deepestOf(standing: readonly MarketStep[]): MarketStep | null {
  let deepest: MarketStep | null = null
  for (const step of standing) {
    if (step.px === null) continue
    const isDeeper = deepest === null || step.depth > deepest.depth
    if (isDeeper || (step.depth === deepest?.depth && step.market < deepest.market)) deepest = step
  }
  return deepest
}

/** Caches the newest results, up to this many steps in all. */
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
