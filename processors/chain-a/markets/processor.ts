import type { ChainATypes } from '../../../schemas/chain-a/stage.ts'
import { createMarkets } from '../../markets/processor.ts'
import { type ChainAPrices, chainAPrices } from './prices.ts'

/** The pools and the curve of a token. */
export const markets = createMarkets<ChainAPrices, ChainATypes>(chainAPrices)
