import { type ChainANumbers, chainANumbers } from '../../../schemas/chain-a/numbers.ts'
import type { ChainATypes } from '../../../schemas/chain-a/stage.ts'
import { createMarkets } from '../../markets/processor.ts'
import { type ChainAPrices, createChainAPrices } from './prices.ts'

/** Creates the part of the stage that follows the markets of a token: the token's pools and curve. */
export const createChainAMarkets = (rules: Pick<ChainANumbers, 'pools' | 'curves'>) =>
  createMarkets<ChainAPrices, ChainATypes>(createChainAPrices(rules))

export const markets = createChainAMarkets(chainANumbers)
