/** Opens chain A, either from a real node or from a simulator. */
import type { Config } from '../../infra/config.ts'
import type { Logger } from '../../infra/telemetry.ts'
import type { DurationMs, EpochMs } from '../../schemas/units.ts'
import { createAggregator } from '../prices/aggregator.ts'
import { createPriceLookup } from '../prices/price-lookup.ts'
import { createPriceSource, type PriceSource } from '../prices/price-source.ts'
import { simulatorSettings } from '../simulated/settings.ts'
import { chainADefinition } from './definition.ts'
import { createRpcSource } from './follow/rpc-source.ts'
import { createOwnersLookup } from './lookups/owners.ts'
import { createPrecallSendersLookup } from './lookups/precall-senders.ts'
import { createSendersLookup } from './lookups/senders.ts'
import { readHasCode } from './node/call-contract.ts'
import { createNode } from './node/node.ts'
import { createRpcOwnerReader, createRpcSenderReader } from './node/read-senders.ts'
import { aggregatorChainOf, type ChainAContracts, chainAContracts, lagBlocksOf } from './presets.ts'
import { createChainlinkReader } from './price/chainlink.ts'
import { createMarketReader } from './price/market-price.ts'
import { noFeed } from './price/no-feed.ts'
import { createSimulator } from './simulated/simulator.ts'
import type { ChainA } from './types.ts'

export type ChainAOptions = Readonly<{
  /** The URLs of the nodes, in order of preference. A node with a WebSocket URL also announces new blocks. */
  urls: readonly string[]
  contracts: ChainAContracts
  lagBlocks: number
  logRangeMax: number
  reorgBlocksMax?: number
  logger: Logger
  pollMs?: DurationMs
  backfillMs?: DurationMs
  nowMs?: () => EpochMs
  /**
   * The source of prices for tokens whose price cannot be read from a market contract. Default null: such
   * tokens get no price.
   */
  aggregator?: PriceSource | null
}>

/**
 * Opens chain A from JSON-RPC nodes. Logs a warning when the configuration has no contract that gives the ETH
 * price in US dollars.
 */
export function openChainA({ urls, aggregator = null, nowMs = Date.now, ...options }: ChainAOptions): ChainA {
  const { contracts, logger } = options
  const node = createNode({ urls, logger, nowMs })
  const feed = contracts.ethUsdFeed
  if (feed === null) logger.warn(`${noFeed.says}. TO DO: ${noFeed.toDo}`)
  const readSenders = createRpcSenderReader({ node })
  const priceSource = createPriceSource({ readMarket: createMarketReader({ node, contracts }), aggregator })
  return {
    ...chainADefinition,
    source: createRpcSource({ ...options, node, nowMs, heads: node.heads }),
    lookups: [
      createSendersLookup(readSenders),
      createPrecallSendersLookup(readSenders),
      createOwnersLookup(createRpcOwnerReader({ node, ...contracts })),
      createPriceLookup(priceSource),
    ],
    readPrice: feed && createChainlinkReader({ node, feed, nowMs, logger }),
  }
}

/**
 * Creates the function that checks whether an address has a contract. The function asks the configured node,
 * or the simulator if no node is configured.
 */
export function chainACodeReader(
  config: Config,
  { nowMs, logger }: Readonly<{ nowMs: () => EpochMs; logger: Logger }>,
): (address: string, signal: AbortSignal) => Promise<boolean> {
  const { CHAIN_A_RPC_URL: urls } = config
  if (urls === undefined) return createSimulator({ ...simulatorSettings(config), nowMs }).hasCode
  const node = createNode({ urls, logger })
  return (address, signal) => readHasCode(node, address, signal)
}

/** Opens chain A from the configured node, or from the simulator if no node is configured. */
export function configuredChainA(
  config: Config,
  { nowMs, logger }: Readonly<{ nowMs: () => EpochMs; logger: Logger }>,
): ChainA {
  if (config.CHAIN_A_RPC_URL === undefined) return createSimulator({ ...simulatorSettings(config), nowMs })
  const { PRICE_AGGREGATOR_URL: url } = config
  const chain = aggregatorChainOf(config.CHAIN_A_PRESET)
  return openChainA({
    aggregator: url === undefined || chain === null ? null : createAggregator({ url, chain, nowMs }),
    urls: config.CHAIN_A_RPC_URL,
    contracts: chainAContracts(config.CHAIN_A_PRESET, config.CHAIN_A_CONTRACTS),
    lagBlocks: lagBlocksOf(config.CHAIN_A_PRESET, config.CHAIN_A_LAG_BLOCKS),
    reorgBlocksMax: config.CHAIN_A_REORG_BLOCKS_MAX,
    logRangeMax: config.CHAIN_A_LOG_RANGE_MAX,
    logger,
  })
}
