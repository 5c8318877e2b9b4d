/** The prices of simulated mints at any instant, those of mints that nobody tracks any more too. */
import { hexOfBase58 } from '../../../infra/base58.ts'
import { lamportsPerSol } from '../../../schemas/chain-b/units.ts'
import type { PriceSource } from '../../prices/price-source.ts'
import { createSimulatedPrices, type PriceStep } from '../../prices/simulated-prices.ts'
import type { Draft } from './draft.ts'
import { idOfMint, type World } from './identities.ts'
import { lifeOf } from './life.ts'
import { type Market, type MintPlan, planOf } from './plan.ts'
import { slotAtMs } from './slots.ts'

export function createPrices(market: Market, world: World): PriceSource {
  return createSimulatedPrices((token) => {
    const mint = hexOfBase58(token, 32)
    const id = mint && idOfMint(market.seed, mint)
    const plan = id === null ? null : planOf(market, id)
    // Prices are in SOL.
    return plan === null || plan.isUsdc ? null : stepsOf(plan, world)
  })
}

function* stepsOf(plan: MintPlan, world: World): Generator<PriceStep> {
  for (const { slot, drafts } of lifeOf(plan, world)) {
    const step = drafts.map(stepOf).findLast((each) => each !== null)
    if (step) yield { atMs: slotAtMs(slot), ...step }
  }
}

/** The rest of a buy that completed the curve comes before the pool opens. */
function stepOf({ type, data }: Draft): Pick<PriceStep, 'px' | 'source'> | null {
  if (type === 'CurveLaunched' || type === 'CurveTraded')
    return { px: pxOf(data.virtualQuoteRaw, data.virtualTokenRaw), source: 'curve' }
  if (type === 'CurveMigrated' || (type === 'PoolTraded' && !data.isBeforeMigration))
    return { px: pxOf(data.poolQuoteRaw, data.poolTokenRaw), source: 'pool' }
  return null
}

const pxOf = (quoteRaw: bigint, tokenRaw: bigint): number => Number(quoteRaw) / lamportsPerSol / Number(tokenRaw)
