import type { ChainBTypes } from '../../../schemas/chain-b/stage.ts'
import { createMarkets } from '../../markets/processor.ts'
import { type ChainBPrices, chainBPrices } from './prices.ts'

/** The curve of a mint, and its canonical pool. */
export const markets = createMarkets<ChainBPrices, ChainBTypes>(chainBPrices)
