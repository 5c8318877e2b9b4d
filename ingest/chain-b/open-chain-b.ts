/** Chain B, simulated. */
import type { Config } from '../../infra/config.ts'
import { createSimulator } from './simulated/simulator.ts'
import type { ChainB } from './types.ts'

/** The simulated market: there is no chain B from a node yet. */
export const configuredChainB = (config: Config, { nowMs }: Readonly<{ nowMs: () => number }>): ChainB =>
  createSimulator({ seed: config.SIMULATOR_SEED, nowMs })
