/** The chains of this service. To add one, add it to this table. */
import type { Check } from '../infra/check.ts'
import { type ChainName, type Config, chainNames, isSimulated } from '../infra/config.ts'
import type { Logger } from '../infra/telemetry.ts'
import type { Chain } from './chain.ts'
import { checkChainA } from './chain-a/check-node.ts'
import { chainANaming } from './chain-a/naming.ts'
import { configuredChainA } from './chain-a/open-chain-a.ts'
import { createTales as createChainATales } from './chain-a/simulated/tales.ts'
import { checkChainB } from './chain-b/check-node.ts'
import { chainBNaming } from './chain-b/naming.ts'
import { configuredChainB } from './chain-b/open-chain-b.ts'
import { createTales as createChainBTales } from './chain-b/simulated/tales.ts'
import { checkChats } from './chats/check-chats.ts'
import { configuredChats } from './chats/open-chats.ts'
import { createSimulatedChats } from './chats/simulated/simulator.ts'
import type { TokenNaming } from './mentions/naming.ts'

type Surroundings = Readonly<{ nowMs: () => number; logger: Logger }>
type ConfiguredChain = Readonly<{
  open: (config: Config, surroundings: Surroundings) => Chain
  /** What the doctor examines of it. */
  checks: (config: Config) => readonly Promise<Check | readonly Check[]>[]
  /** How posts name its tokens. Null: it has none. */
  naming: (config: Config) => TokenNaming | null
}>

const chains: Readonly<Record<ChainName, ConfiguredChain>> = {
  'chain-a': {
    open: configuredChainA,
    checks: checkChainA,
    naming: ({ CHAIN_A_PRESET }) => chainANaming(CHAIN_A_PRESET) as TokenNaming,
  },
  'chain-b': { open: configuredChainB, checks: checkChainB, naming: () => chainBNaming as TokenNaming },
  chats: { open: openChats, checks: (config) => [checkChats(config)], naming: () => null },
}

/** Simulated chats talk about the tokens of the simulated markets. */
function openChats(config: Config, surroundings: Surroundings): Chain {
  if (!isSimulated(config)) return configuredChats(config, surroundings)
  const { SIMULATOR_SEED: seed } = config
  const markets = [createChainATales({ seed }), createChainBTales({ seed })]
  return createSimulatedChats({ seed, markets, nowMs: surroundings.nowMs })
}

export const configuredChains = (config: Config, surroundings: Surroundings): readonly Chain[] =>
  chainNames(config).map((name) => chains[name].open(config, surroundings))

/** What the doctor examines of each chain. */
export const checkChains = (config: Config): readonly Promise<Check | readonly Check[]>[] =>
  chainNames(config).flatMap((name) => chains[name].checks(config))

/** Of the chains with tokens, by the name of their stage. */
export const configuredNamings = (config: Config): ReadonlyMap<string, TokenNaming> =>
  new Map(
    chainNames(config).flatMap((name) => {
      const naming = chains[name].naming(config)
      return naming === null ? [] : [[name, naming] as const]
    }),
  )
