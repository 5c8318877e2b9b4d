import { type ChainName, type Config, isSimulated } from '../infra/config.ts'

/** Whether somebody beside the chain’s node tells prices. A simulated market tells all of its own; no provider knows a local chain. */
export function hasPriceProvider(config: Config, chain: ChainName): boolean {
  if (isSimulated(config)) return true
  const isLocal = chain === 'chain-a' && config.CHAIN_A_PRESET === 'local'
  return config.PRICE_AGGREGATOR_URL !== undefined && !isLocal
}
