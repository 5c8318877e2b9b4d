/** Chain B from a real node, or simulated. */
import type { Config } from '../../infra/config.ts'
import type { Logger } from '../../infra/telemetry.ts'
import { configuredNode } from './configured-node.ts'
import { chainBDefinition } from './definition.ts'
import { type ChainBNode, openRpcSource } from './follow/open-rpc-source.ts'
import { createSimulator } from './simulated/simulator.ts'
import type { ChainB } from './types.ts'

export type ChainBOptions = Readonly<{ node: ChainBNode; lookBackMin: number; logger: Logger }>

/** As the chain is meant to make them. Some take longer. */
const slotsPerMin = 150

/** Chain B as Helius or any Solana node serves it. */
export const openChainB = ({ lookBackMin, ...options }: ChainBOptions): ChainB => ({
  ...chainBDefinition,
  source: openRpcSource({ ...options, lookBackSlots: lookBackMin * slotsPerMin }),
  lookups: [],
  readPrice: null,
})

/** The configured node, or the simulated market if none is configured. */
export function configuredChainB(
  config: Config,
  { nowMs, logger }: Readonly<{ nowMs: () => number; logger: Logger }>,
): ChainB {
  const node = configuredNode(config)
  if (node === null) return createSimulator({ seed: config.SIMULATOR_SEED, nowMs })
  return openChainB({ node, lookBackMin: config.CHAIN_B_LOOK_BACK_MIN, logger })
}
