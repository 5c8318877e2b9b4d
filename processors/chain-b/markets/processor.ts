import { type ChainBNumbers, chainBNumbers } from '../../../schemas/chain-b/numbers.ts'
import type { ChainBTypes } from '../../../schemas/chain-b/stage.ts'
import { createMarkets } from '../../markets/processor.ts'
import { type ChainBPrices, createChainBPrices } from './prices.ts'

/**
 * Creates the part of the processing that follows the markets of a token: its curve and the pool that
 * replaces the curve.
 */
export const createChainBMarkets = (rules: ChainBNumbers['mints']) =>
  createMarkets<ChainBPrices, ChainBTypes>(createChainBPrices(rules))

export const markets = createChainBMarkets(chainBNumbers.mints)
