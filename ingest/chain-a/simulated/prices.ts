/** The prices of simulated tokens at any instant, including tokens that are no longer tracked. */
import type { PriceSource } from '../../prices/price-source.ts'
import { createSimulatedPrices } from '../../prices/simulated-prices.ts'
import type { World } from './identities.ts'
import type { Market } from './plan.ts'
import { stepsOf } from './steps.ts'
import { storyOf } from './stories.ts'

export const createPrices = (market: Market, world: World): PriceSource =>
  createSimulatedPrices((token) => {
    const story = storyOf(market, token, world)
    return story === null ? null : stepsOf(story.transactions())
  })
