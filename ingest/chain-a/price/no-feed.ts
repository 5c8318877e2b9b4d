export const feedToDo =
  'set ethUsdFeed in CHAIN_A_CONTRACTS to the address of a Chainlink ETH/USD aggregator with 8 decimals on this chain'

/**
 * The texts that the `doctor` command and the startup log show when no contract for the ETH/USD price is
 * configured.
 */
export const noFeed = {
  says: 'no ETH/USD feed is configured. Without an ETH price, every paid route of chain A answers 503 warming_up',
  toDo: feedToDo,
} as const
