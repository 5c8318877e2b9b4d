/** Opens chain B, either from a real node or as a simulation. */
import type { Config } from '../../infra/config.ts'
import type { Logger } from '../../infra/telemetry.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { Lookup } from '../lookups/lookup.ts'
import { createAggregator } from '../prices/aggregator.ts'
import { createPriceLookup } from '../prices/price-lookup.ts'
import { createPriceSource } from '../prices/price-source.ts'
import { simulatorSettings } from '../simulated/settings.ts'
import { configuredNode } from './configured-node.ts'
import { chainBDefinition } from './definition.ts'
import { type ChainBNode, openNode, openRpcSource } from './follow/open-rpc-source.ts'
import { createReserveMemory } from './follow/reserve-memory.ts'
import { createHoldersLookup } from './lookups/holders.ts'
import { createRpcHolderReader, holdersAgeMsMax } from './lookups/read-holders.ts'
import { createRugCheck } from './lookups/rug-check.ts'
import { createSafetyLookup } from './lookups/safety.ts'
import { createMarketReader, createMintPrice } from './price/market-price.ts'
import { createSolUsdReader } from './price/sol-usd.ts'
import { withRepairs } from './repair/with-repairs.ts'
import { createSimulator } from './simulated/simulator.ts'
import type { ChainB } from './types.ts'

type ChainBOptions = Readonly<{
  node: ChainBNode
  lookBackMin: number
  /** The account from which the SOL price is read, in base58. */
  solUsdFeed: string
  /**
   * The URL of a provider of token safety reports (rug checks). If undefined, ingest requests no such
   * reports.
   */
  rugCheckUrl: string | undefined
  /**
   * The URL of a service that reports token prices. If undefined, ingest reads the price of a token only from
   * its known market or from the pool of its curve.
   */
  aggregatorUrl: string | undefined
  nowMs: () => EpochMs
  logger: Logger
}>

/**
 * The planned number of slots per minute, at 0.4 s per slot. The real number is smaller, because some slots
 * take longer.
 */
const slotsPerMin = 150

/** Opens chain B from Helius or from any other Solana node. */
function openChainB(options: ChainBOptions): ChainB {
  const { node, lookBackMin, solUsdFeed, rugCheckUrl, aggregatorUrl: url, nowMs, logger } = options
  const reader = openNode({ node, logger })
  const reserves = createReserveMemory()
  const source = openRpcSource({ node, reader, lookBackSlots: lookBackMin * slotsPerMin, reserves, logger })
  const aggregator = url === undefined ? null : createAggregator({ url, chain: 'solana', nowMs })
  const priceSource = createPriceSource({
    readMarket: createMarketReader(reader),
    aggregator: createMintPrice(reader, aggregator),
  })
  const lookups: readonly Lookup[] = [
    createHoldersLookup(createRpcHolderReader(reader), { ageMsMax: holdersAgeMsMax }),
    ...(rugCheckUrl === undefined ? [] : [createSafetyLookup(createRugCheck({ url: rugCheckUrl }))]),
    createPriceLookup(priceSource),
  ]
  return {
    ...chainBDefinition,
    source: withRepairs(source, { node: reader, reserves, nowMs, logger }),
    lookups,
    readPrice: createSolUsdReader({ readAccount: reader.account, feed: solUsdFeed, nowMs, logger }),
  }
}

/** Opens chain B from the configured node. If no node is configured, returns a simulated chain B. */
export function configuredChainB(
  config: Config,
  { nowMs, logger }: Readonly<{ nowMs: () => EpochMs; logger: Logger }>,
): ChainB {
  const node = configuredNode(config)
  if (node === null) return createSimulator({ ...simulatorSettings(config), nowMs })
  return openChainB({
    node,
    lookBackMin: config.CHAIN_B_LOOK_BACK_MIN,
    solUsdFeed: config.CHAIN_B_SOL_USD_FEED,
    rugCheckUrl: config.CHAIN_B_RUGCHECK_URL,
    aggregatorUrl: config.PRICE_AGGREGATOR_URL,
    nowMs,
    logger,
  })
}
