import { type ChainANumbers, chainANumbers } from '../../../schemas/chain-a/numbers.ts'
import type { ChainATypes } from '../../../schemas/chain-a/stage.ts'
import { createMarkets } from '../../markets/processor.ts'
import { type ChainAPrices, createChainAPrices } from './prices.ts'

/** Creates the part of the processing that follows the markets of a token: its pools and its curve. */
export const createChainAMarkets = (rules: Pick<ChainANumbers, 'pools' | 'curves'>) =>
  createMarkets<ChainAPrices, ChainATypes>(createChainAPrices(rules))

export const markets = createChainAMarkets(chainANumbers)
