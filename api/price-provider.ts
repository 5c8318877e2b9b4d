import { type Config, isSimulated } from '../infra/config.ts'

/**
 * Returns whether an external provider, besides the chain's node, gives prices. Simulated data already
 * contains all prices. The provider has no prices of a local chain.
 */
export const hasPriceProvider = (config: Config, { isLocal }: Readonly<{ isLocal: boolean }>): boolean =>
  isSimulated(config) || (config.PRICE_AGGREGATOR_URL !== undefined && !isLocal)
