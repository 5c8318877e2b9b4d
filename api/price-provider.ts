import { type Config, isSimulated } from '../infra/config.ts'

/**
 * Returns whether prices come from a provider besides the chain's node. Simulated data already contains all
 * prices. An aggregator has no prices of a local chain.
 */
export const hasPriceProvider = (config: Config, { isLocal }: Readonly<{ isLocal: boolean }>): boolean =>
  isSimulated(config) || (config.PRICE_AGGREGATOR_URL !== undefined && !isLocal)
