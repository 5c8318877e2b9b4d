import { type ChainBNumbers, chainBNumbers } from '../../../schemas/chain-b/numbers.ts'
import type { ChainBTypes } from '../../../schemas/chain-b/stage.ts'
import { createMarkets } from '../../markets/processor.ts'
import { type ChainBPrices, createChainBPrices } from './prices.ts'

/** The fold of the markets of a mint: its curve and its canonical pool. */
export const createChainBMarkets = (rules: ChainBNumbers['mints']) =>
  createMarkets<ChainBPrices, ChainBTypes>(createChainBPrices(rules))

export const markets = createChainBMarkets(chainBNumbers.mints)
