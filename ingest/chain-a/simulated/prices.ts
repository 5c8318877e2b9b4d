/** The prices of simulated tokens at any instant, those of tokens that nobody tracks any more too. */
import { curveMarketCapEth } from '../../../schemas/chain-a/curve.ts'
import { priceFromSqrt, priceTickMax, priceTickMin } from '../../../schemas/chain-a/pool-price.ts'
import type { PriceSource } from '../../prices/price-source.ts'
import { createSimulatedPrices, type PriceStep } from '../../prices/simulated-prices.ts'
import type { World } from './identities.ts'
import type { Draft } from './launch.ts'
import { cohortAt, type Market } from './plan.ts'
import { type Story, storiesOf } from './stories.ts'

/** A token lives for a day, and is watched for two from a call that may come another day later. */
const cohortsBack = 100
const cohortsKept = 2 * cohortsBack

export function createPrices(market: Market, world: World): PriceSource {
  const cohorts = new Map<number, ReadonlyMap<string, Story>>()
  const storiesIn = (cohort: number): ReadonlyMap<string, Story> => {
    const known = cohorts.get(cohort)
    if (known) return known
    const stories = new Map(storiesOf(market, cohort, world).map((story) => [story.token, story]))
    cohorts.set(cohort, stories)
    const [oldest] = cohorts.keys()
    if (cohorts.size > cohortsKept && oldest !== undefined) cohorts.delete(oldest)
    return stories
  }
  return createSimulatedPrices((token, atMs) => {
    // A promoted launch can be created up to an hour before its cohort’s own.
    const newest = cohortAt(Math.floor(atMs / 1000)) + 1
    for (let cohort = newest; cohort > newest - cohortsBack; cohort--) {
      const story = storiesIn(cohort).get(token)
      if (story) return stepsOf(story)
    }
    return null
  })
}

type Trading = {
  ethIsCurrency0: boolean
  hooks: string | null
  /** Of all positions. Nothing can be traded without any. */
  liquidity: bigint
  poolPx: number | null
  curve: { phantomWei: bigint; reserveWei: bigint; supplyRaw: bigint } | null
}

function* stepsOf(story: Story): Generator<PriceStep> {
  const trading: Trading = { ethIsCurrency0: true, hooks: null, liquidity: 0n, poolPx: null, curve: null }
  for (const { second, drafts } of story.transactions()) {
    for (const draft of drafts) take(trading, draft)
    const { poolPx, liquidity } = trading
    const step = { atMs: second * 1000, source: trading.curve ? 'curve' : 'pool' } as const
    yield { ...step, px: trading.curve ? curvePx(trading.curve) : liquidity > 0n ? poolPx : null }
  }
}

function take(trading: Trading, { type, data }: Draft): void {
  switch (type) {
    case 'PoolCreated':
      trading.ethIsCurrency0 = data.ethIsCurrency0
      trading.hooks = data.hooks
      if (data.sqrtPriceX96 !== null) trading.poolPx = priceFromSqrt(data.sqrtPriceX96, data.ethIsCurrency0)
      return
    case 'PoolInitialized':
      trading.poolPx = priceFromSqrt(data.sqrtPriceX96, trading.ethIsCurrency0)
      return
    case 'Swap':
      if (
        data.ethWei !== 0n &&
        data.tick > priceTickMin &&
        data.tick < priceTickMax - 1 &&
        data.sender !== trading.hooks
      )
        trading.poolPx = priceFromSqrt(data.sqrtPriceX96, trading.ethIsCurrency0)
      return
    case 'LiquidityChanged':
      trading.liquidity += data.liquidityDelta
      return
    case 'CurveLaunched':
      trading.curve = { phantomWei: data.phantomWei, reserveWei: 0n, supplyRaw: data.supplyRaw }
      return
    case 'CurveTraded':
      if (trading.curve) trading.curve.reserveWei += data.ethWei - data.feeWei - data.taxWei
      return
    case 'CurveGraduated':
      trading.curve = null
  }
}

const curvePx = (curve: NonNullable<Trading['curve']>): number => curveMarketCapEth(curve) / Number(curve.supplyRaw)
