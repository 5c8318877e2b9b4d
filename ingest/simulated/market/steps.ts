/** How a simulated token stands after each of its transactions that changes a price or liquidity. */
import type { Hex } from '../../../schemas/units.ts'

export type MarketStep = Readonly<{
  second: number
  market: Hex
  /** The market under which it is followed: a curve, for the pool in which it goes on. */
  of: Hex
  source: 'curve' | 'pool'
  /** Coin per raw token unit. Null: nothing can be traded. */
  px: number | null
  /** What can be traded against, in the coin. */
  depth: number
  /**
   * What is left of the liquidity: the product of its coin side after and before of each transaction that changed it. 1 at
   * first.
   */
  left: number
}>

/** The newest step of each market that is followed, of the steps up to a second. */
export function standingAt(steps: readonly MarketStep[], second: number): readonly MarketStep[] {
  const newest = new Map<Hex, MarketStep>()
  for (const step of steps) {
    if (step.second > second) break
    newest.set(step.of, step)
  }
  return [...newest.values()]
}

/** The deepest of those with a price; the first by address among equals. */
export function deepestOf(standing: readonly MarketStep[]): MarketStep | null {
  let deepest: MarketStep | null = null
  for (const step of standing) {
    if (step.px === null) continue
    const isDeeper = deepest === null || step.depth > deepest.depth
    if (isDeeper || (step.depth === deepest?.depth && step.market < deepest.market)) deepest = step
  }
  return deepest
}

/** Keeps what was played last, up to so many steps together. */
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
