import { type Config, isSimulated } from '../infra/config.ts'

/**
 * Whether prices come from a provider besides the chain's node. The simulated market gives all prices itself. An aggregator does not know a
 * local chain.
 */
export const hasPriceProvider = (config: Config, { isLocal }: Readonly<{ isLocal: boolean }>): boolean =>
  isSimulated(config) || (config.PRICE_AGGREGATOR_URL !== undefined && !isLocal)
