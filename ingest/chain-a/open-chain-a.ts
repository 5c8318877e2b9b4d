import type { Logger } from '../../infra/telemetry.ts'
import type { ChainSource, OwnerReader, PriceReader, SenderReader } from '../source.ts'
import { createRpcSource } from './follow/rpc-source.ts'
import { createNode } from './node/node.ts'
import { createRpcOwnerReader } from './node/read-owners.ts'
import { createRpcSenderReader } from './node/read-senders.ts'
import type { ChainAContracts } from './presets.ts'
import { createChainlinkReader } from './price/chainlink.ts'

export type ChainAOptions = Readonly<{
  /** In order of preference. */
  urls: readonly string[]
  contracts: ChainAContracts
  lagBlocks: number
  logRangeMax: number
  reorgBlocksMax?: number
  logger: Logger
  pollMs?: number
  backfillMs?: number
}>

/** All that is asked of the outside about a chain with a JSON-RPC node. `readPrice` null: no feed is known there. */
export type ChainA = Readonly<{
  source: ChainSource
  readSenders: SenderReader
  readOwners: OwnerReader
  readPrice: PriceReader | null
}>

export function openChainA({ urls, ...options }: ChainAOptions): ChainA {
  const node = createNode({ urls })
  const { contracts, logger } = options
  const feed = contracts.ethUsdFeed
  return {
    source: createRpcSource({ ...options, node }),
    readSenders: createRpcSenderReader({ node }),
    readOwners: createRpcOwnerReader({ node, ...contracts }),
    readPrice: feed && createChainlinkReader({ node, feed, logger }),
  }
}
