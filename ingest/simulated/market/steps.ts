/** Describes the markets of a simulated token after each transaction that changes a price or liquidity. */
import assert from 'node:assert/strict'
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

/** The market of a step, without what changes from step to step. */
type Place = Pick<MarketStep, 'market' | 'of' | 'source'>

/**
 * Steps as columns, because one object per step takes three times the memory. `placeAt` has the index of each step's
 * market in `places`. `numbers` has four numbers per step: second, price (NaN for null), depth and remaining share.
 */
type PackedSteps = Readonly<{ places: readonly Place[]; placeAt: Uint8Array; numbers: Float64Array }>

function packSteps(steps: readonly MarketStep[]): PackedSteps {
  const places: Place[] = []
  const placeAt = new Uint8Array(steps.length)
  const numbers = new Float64Array(steps.length * 4)
  for (const [index, { second, market, of, source, px, depth, left }] of steps.entries()) {
    let place = places.findIndex((known) => known.market === market && known.of === of && known.source === source)
    if (place < 0) place = places.push({ market, of, source }) - 1
    assert(place < 256, 'a token has too many markets to pack their indices into bytes')
    placeAt[index] = place
    numbers.set([second, px ?? Number.NaN, depth, left], index * 4)
  }
  return { places, placeAt, numbers }
}

function unpackSteps({ places, placeAt, numbers }: PackedSteps): readonly MarketStep[] {
  return Array.from(placeAt, (place, index) => {
    const { market, of, source } = places[place] as Place
    const numberAt = (offset: number) => numbers[index * 4 + offset] as number
    const px = Number.isNaN(numberAt(1)) ? null : numberAt(1)
    return { second: numberAt(0), market, of, source, px, depth: numberAt(2), left: numberAt(3) }
  })
}

/**
 * Caches the steps that `play` returned for the most recently used keys. The cache has at most `stepsMax`
 * steps in total, about 33 bytes each.
 */
export function rememberSteps<Key>(
  play: (key: Key) => readonly MarketStep[] | null,
  stepsMax: number,
): (key: Key) => readonly MarketStep[] | null {
  const known = new Map<Key, PackedSteps>()
  let count = 0
  return (key) => {
    const remembered = known.get(key)
    if (remembered !== undefined) {
      known.delete(key)
      known.set(key, remembered)
      return unpackSteps(remembered)
    }
    const steps = play(key)
    if (steps === null) return null
    known.set(key, packSteps(steps))
    count += steps.length
    for (const [oldest, { placeAt }] of known) {
      if (count <= stepsMax || oldest === key) break
      known.delete(oldest)
      count -= placeAt.length
    }
    return steps
  }
}
