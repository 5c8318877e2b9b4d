/** Computes the prices of a simulated mint from the mint's transactions. */

import { hexOfBase58 } from '../../../infra/base58.ts'
import { lamportsPerSol } from '../../../schemas/chain-b/units.ts'
import type { QuoteRaw, TokenRaw } from '../../../schemas/units.ts'
import type { PriceSource } from '../../prices/price-source.ts'
import { createSimulatedPrices } from '../../prices/simulated-prices.ts'
import type { MarketStep } from '../../simulated/market/steps.ts'
import type { Draft } from './draft.ts'
import { type Identities, idOfMint } from './identities.ts'
import { lifeOf } from './life.ts'
import { type Market, type MintPlan, planOf } from './plan.ts'
import { slotAtMs } from './slots.ts'

/**
 * Returns the price and the liquidity of the mint after each transaction. `left` is the part of the liquidity
 * that was not removed. It is always 1, because nobody can remove liquidity from a curve or from its pool.
 */
export function stepsOf(plan: MintPlan, identities: Identities): readonly MarketStep[] {
  const steps: MarketStep[] = []
  for (const { slot, drafts } of lifeOf(plan, identities)) {
    const step = drafts.map((draft) => stepAfter(plan, draft)).findLast((each) => each !== null)
    if (step) steps.push({ second: slotAtMs(slot) / 1000, ...step })
  }
  return steps
}

/**
 * Returns the price and the liquidity after a fact. A complete curve has no price until its pool opens. So
 * the result is null for a trade before the opening (`isBeforeMigration`).
 */
function stepAfter({ curve, pool }: MintPlan, { type, data }: Draft): Omit<MarketStep, 'second'> | null {
  const onCurve = { market: curve, of: curve, source: 'curve' } as const
  const inPool = { market: pool, of: curve, source: 'pool' } as const
  switch (type) {
    case 'CurveLaunched':
    case 'CurveTraded':
      return stepOf(onCurve, pxOf(data.virtualQuoteRaw, data.virtualTokenRaw), solOf(data.realQuoteRaw))
    case 'CurveCompleted':
      return stepOf(onCurve, null, 0)
    case 'PoolTraded':
      return data.isBeforeMigration ? null : stepInPool(inPool, data)
    case 'CurveMigrated':
      return stepInPool(inPool, data)
  }
}

type Place = Pick<MarketStep, 'market' | 'of' | 'source'>
type PoolReserves = Readonly<{ poolQuoteRaw: QuoteRaw; poolTokenRaw: TokenRaw }>

const stepInPool = (place: Place, { poolQuoteRaw, poolTokenRaw }: PoolReserves) =>
  stepOf(place, pxOf(poolQuoteRaw, poolTokenRaw), solOf(poolQuoteRaw))

const stepOf = ({ market, of, source }: Place, px: number | null, depth: number): Omit<MarketStep, 'second'> => ({
  market,
  of,
  source,
  left: 1,
  px,
  depth,
})

const solOf = (quoteRaw: QuoteRaw): number => Number(quoteRaw) / lamportsPerSol

const pxOf = (quoteRaw: bigint, tokenRaw: bigint): number => Number(quoteRaw) / lamportsPerSol / Number(tokenRaw)

/**
 * Creates the source of the prices of simulated mints at any time, in SOL. The source also has prices of
 * mints that the service no longer follows.
 */
export function createPrices(market: Market, identities: Identities): PriceSource {
  const playedOf = (token: string) => {
    const mint = hexOfBase58(token, 32)
    const id = mint && idOfMint(market.seed, mint)
    const plan = id === null ? null : planOf(market, id)
    return plan === null || plan.isUsdc ? null : stepsOf(plan, identities)
  }
  return createSimulatedPrices(playedOf, { isReadWhereItGoesOn: true })
}
