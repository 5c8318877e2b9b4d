/** The prices of simulated mints at any instant, including mints that are no longer tracked. */
import { hexOfBase58 } from '../../../infra/base58.ts'
import type { PriceSource } from '../../prices/price-source.ts'
import { createSimulatedPrices } from '../../prices/simulated-prices.ts'
import { idOfMint, type World } from './identities.ts'
import { type Market, planOf } from './plan.ts'
import { stepsOf } from './steps.ts'

/** Prices are in SOL. */
export function createPrices(market: Market, world: World): PriceSource {
  const playedOf = (token: string) => {
    const mint = hexOfBase58(token, 32)
    const id = mint && idOfMint(market.seed, mint)
    const plan = id === null ? null : planOf(market, id)
    return plan === null || plan.isUsdc ? null : stepsOf(plan, world)
  }
  return createSimulatedPrices(playedOf, { isReadWhereItGoesOn: true })
}
