/** Chain B, simulated. */
import { type Config, isSimulated } from '../../infra/config.ts'
import { createSimulator } from './simulated/simulator.ts'
import type { ChainB } from './types.ts'

/** The simulated chain B if no chain is configured at all; else null. */
export const configuredChainB = (config: Config, { nowMs }: Readonly<{ nowMs: () => number }>): ChainB | null =>
  isSimulated(config) ? createSimulator({ seed: config.SIMULATOR_SEED, nowMs }) : null
