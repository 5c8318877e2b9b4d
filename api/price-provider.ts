import { type Config, isSimulated } from '../infra/config.ts'

/** Whether somebody beside the chain’s node tells prices. A simulated market tells all of its own; no provider knows a local chain. */
export const hasPriceProvider = (config: Config, { isLocal }: Readonly<{ isLocal: boolean }>): boolean =>
  isSimulated(config) || (config.PRICE_AGGREGATOR_URL !== undefined && !isLocal)
