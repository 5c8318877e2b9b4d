/** The chains of this service. To add one, add it to these lists. */
import type { Check } from '../infra/check.ts'
import type { Config } from '../infra/config.ts'
import type { Logger } from '../infra/telemetry.ts'
import type { Chain } from './chain.ts'
import { checkChainA } from './chain-a/check-node.ts'
import { configuredChainA } from './chain-a/open-chain-a.ts'
import { configuredChainB } from './chain-b/open-chain-b.ts'

export function configuredChains(
  config: Config,
  surroundings: Readonly<{ nowMs: () => number; logger: Logger }>,
): readonly Chain[] {
  const chainB = configuredChainB(config, surroundings)
  return [configuredChainA(config, surroundings), ...(chainB === null ? [] : [chainB])]
}

/** What the doctor examines of each chain. */
export const checkChains = (config: Config): readonly Promise<Check>[] => [...checkChainA(config)]
