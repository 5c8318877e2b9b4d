import { type Config, isSimulated } from '../infra/config.ts'

/**
 * Whether an external provider, besides the chain's node, gives prices. A simulated market gives all its prices itself.
 * No provider knows a local chain.
 */
export const hasPriceProvider = (config: Config, { isLocal }: Readonly<{ isLocal: boolean }>): boolean =>
  isSimulated(config) || (config.PRICE_AGGREGATOR_URL !== undefined && !isLocal)
