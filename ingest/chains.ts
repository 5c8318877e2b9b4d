/** Lists the chains of this service and how each is opened. */
import type { Check } from '../infra/check.ts'
import { type Config, isSimulated, type SourceName, sourceNames } from '../infra/config.ts'
import type { Logger } from '../infra/telemetry.ts'
import type { EpochMs } from '../schemas/units.ts'
import type { Chain } from './chain.ts'
import { checkChainA } from './chain-a/check-node.ts'
import { chainANaming } from './chain-a/naming.ts'
import { chainACodeReader, configuredChainA } from './chain-a/open-chain-a.ts'
import { createTokenHistories as createChainATales } from './chain-a/simulated/token-histories.ts'
import { checkChainB } from './chain-b/check-node.ts'
import { chainBNaming } from './chain-b/naming.ts'
import { configuredChainB } from './chain-b/open-chain-b.ts'
import { createTokenHistories as createChainBTales } from './chain-b/simulated/token-histories.ts'
import { checkChats } from './chats/check-chats.ts'
import { configuredChats } from './chats/open-chats.ts'
import { createSimulatedChats } from './chats/simulated/simulator.ts'
import type { CodeReader } from './mentions/codes.ts'
import type { TokenNaming } from './mentions/naming.ts'
import { simulatorSettings } from './simulated/settings.ts'

type ChainDependencies = Readonly<{ nowMs: () => EpochMs; logger: Logger }>
type ConfiguredChain = Readonly<{
  open: (config: Config, dependencies: ChainDependencies) => Chain
  /** The checks of the chain for the `doctor` command. */
  checks: (config: Config) => readonly Promise<Check | readonly Check[]>[]
}>

const chains: Readonly<Record<SourceName, ConfiguredChain>> = {
  'chain-a': { open: configuredChainA, checks: checkChainA },
  'chain-b': { open: configuredChainB, checks: checkChainB },
  chats: { open: openChats, checks: (config) => [checkChats(config)] },
}

/**
 * Opens the configured chats. In a simulation, opens simulated chats whose posts name tokens of the simulated
 * chains.
 */
function openChats(config: Config, dependencies: ChainDependencies): Chain {
  if (!isSimulated(config)) return configuredChats(config, dependencies)
  const settings = simulatorSettings(config)
  const { seed } = settings
  const markets = [createChainATales({ seed }), createChainBTales({ seed })]
  return createSimulatedChats({ ...settings, markets, nowMs: dependencies.nowMs })
}

export const configuredChains = (config: Config, dependencies: ChainDependencies): readonly Chain[] =>
  sourceNames(config).map((name) => chains[name].open(config, dependencies))

/** Starts the checks of each configured chain for the `doctor` command. */
export const checkChains = (config: Config): readonly Promise<Check | readonly Check[]>[] =>
  sourceNames(config).flatMap((name) => chains[name].checks(config))

/** For each chain, how posts write the addresses of its tokens. Null for a source without tokens. */
const namings: Readonly<Record<SourceName, ((config: Config) => TokenNaming) | null>> = {
  'chain-a': ({ CHAIN_A_PRESET }) => chainANaming(CHAIN_A_PRESET) as TokenNaming,
  'chain-b': () => chainBNaming as TokenNaming,
  chats: null,
}

/**
 * Returns the function that checks whether an address of a chain has a contract. Returns null if the chain
 * has no such function.
 */
export const configuredCodeReader = (
  name: string,
  config: Config,
  surroundings: Readonly<{ nowMs: () => EpochMs; logger: Logger }>,
): CodeReader | null => (name === 'chain-a' ? chainACodeReader(config, surroundings) : null)

/**
 * Returns how posts write the addresses of tokens, for each configured chain that has tokens. The map's key
 * is the name of the chain.
 */
export const configuredNamings = (config: Config): ReadonlyMap<string, TokenNaming> =>
  new Map(
    sourceNames(config).flatMap((name) => {
      const naming = namings[name]?.(config)
      return naming === undefined ? [] : [[name, naming] as const]
    }),
  )
