/** The chains of this service. To add one, add it to this table. */
import type { Check } from '../infra/check.ts'
import { type ChainName, type Config, chainNames } from '../infra/config.ts'
import type { Logger } from '../infra/telemetry.ts'
import type { Chain } from './chain.ts'
import { checkChainA } from './chain-a/check-node.ts'
import { configuredChainA } from './chain-a/open-chain-a.ts'
import { checkChainB } from './chain-b/check-node.ts'
import { configuredChainB } from './chain-b/open-chain-b.ts'
import { checkChats } from './chats/check-chats.ts'
import { configuredChats } from './chats/open-chats.ts'

type Surroundings = Readonly<{ nowMs: () => number; logger: Logger }>
type ConfiguredChain = Readonly<{
  open: (config: Config, surroundings: Surroundings) => Chain
  /** What the doctor examines of it. */
  checks: (config: Config) => readonly Promise<Check | readonly Check[]>[]
}>

const chains: Readonly<Record<ChainName, ConfiguredChain>> = {
  'chain-a': { open: configuredChainA, checks: checkChainA },
  'chain-b': { open: configuredChainB, checks: checkChainB },
  chats: { open: configuredChats, checks: (config) => [checkChats(config)] },
}

export const configuredChains = (config: Config, surroundings: Surroundings): readonly Chain[] =>
  chainNames(config).map((name) => chains[name].open(config, surroundings))

/** What the doctor examines of each chain. */
export const checkChains = (config: Config): readonly Promise<Check | readonly Check[]>[] =>
  chainNames(config).flatMap((name) => chains[name].checks(config))
