/** The chains that are sold, and all paid routes: the only list of either. A chain is added here. */
import type { Database } from '../infra/clickhouse/database.ts'
import { type ChainName, type Config, chainNames } from '../infra/config.ts'
import { createCallsViews } from '../projections/calls/queries/calls.ts'
import { type ChainOfCalls, chainsOfCalls } from '../projections/calls/queries/calls-views.ts'
import { createChainAViews } from '../projections/chain-a/queries/chain-a.ts'
import { createChainACorrections } from '../projections/chain-a/queries/corrected.ts'
import { selectChainACovered } from '../projections/chain-a/queries/covered.ts'
import { createChainBViews } from '../projections/chain-b/queries/chain-b.ts'
import { createChainBCorrections } from '../projections/chain-b/queries/corrected.ts'
import { selectChainBCovered } from '../projections/chain-b/queries/covered.ts'
import { selectChatsCovered } from '../projections/chats/queries/covered.ts'
import { chatsStage } from '../schemas/chats/stage.ts'
import { createCalls } from './calls/chain.ts'
import type { CalledChain } from './calls/world.ts'
import type { ApiChain } from './chain.ts'
import { createChainA } from './chain-a/chain.ts'
import { chainASource } from './chain-a/source.ts'
import { createChainB } from './chain-b/chain.ts'
import { chainBSource } from './chain-b/source.ts'
import { createDeskTradesRoute } from './desk/trades-route.ts'
import { hasPriceProvider } from './price-provider.ts'
import type { Route } from './route.ts'
import { createSnapshotRoute } from './snapshot.ts'

/** `ruleIdSecret` makes the ids of exit rules opaque, `callerIdSecret` those of callers and chats. */
type ChainOptions = Readonly<{ config: Config; database: Database; ruleIdSecret: string; callerIdSecret: string }>

/** The chains whose tokens chats name. */
const calledChains = (config: Config): readonly CalledChain[] => {
  const all: Readonly<Record<ChainOfCalls, CalledChain>> = {
    'chain-a': {
      ...{ name: 'chain-a', wireName: config.CHAIN_A_NAME, source: chainASource },
      hasPriceProvider: hasPriceProvider(config, 'chain-a'),
    },
    'chain-b': {
      ...{ name: 'chain-b', wireName: config.CHAIN_B_NAME, source: chainBSource },
      hasPriceProvider: hasPriceProvider(config, 'chain-b'),
    },
  }
  const names: readonly string[] = chainNames(config)
  return chainsOfCalls.filter((name) => names.includes(name)).map((name) => all[name])
}

const create: Readonly<Record<ChainName, (options: ChainOptions) => ApiChain>> = {
  'chain-a': ({ config, database, ruleIdSecret, callerIdSecret }) => {
    const { CHAIN_A_NAME: chainName, CHAIN_A_LAUNCHPAD_KEY: launchpadKey } = config
    return {
      ...createChainA({
        views: createChainAViews({ database }),
        presentation: { chainName, launchpadKey, ruleIdSecret, callerIdSecret },
      }),
      record: {
        covered: (cut) => selectChainACovered(database, cut),
        corrections: createChainACorrections(database),
      },
    }
  },
  'chain-b': ({ config, database, ruleIdSecret, callerIdSecret }) => {
    const presentation = { chainName: config.CHAIN_B_NAME, ruleIdSecret, callerIdSecret }
    return {
      ...createChainB({ views: createChainBViews({ database }), presentation }),
      record: {
        covered: (cut) => selectChainBCovered(database, cut),
        corrections: createChainBCorrections(database),
      },
    }
  },
  chats({ config, database, callerIdSecret }) {
    const chains = calledChains(config)
    const stages = [chatsStage, ...chains.map(({ source }) => source.stage)]
    return {
      ...createCalls({ views: createCallsViews({ database, stages }), chains, callerIdSecret }),
      record: { covered: (cut) => selectChatsCovered(database, cut), corrections: null },
    }
  },
}

/** Only the chains that are configured: the service would wait for a chain without facts for ever. */
export const createChains = (options: ChainOptions): readonly ApiChain[] =>
  chainNames(options.config).map((name) => create[name](options))

/** The routes of the chains, in the order of the list on `/`, and those that cover several chains; `others` last. */
export function routesOf(chains: readonly ApiChain[], others: readonly Route[] = []): readonly Route[] {
  const snapshot = createSnapshotRoute(chains.flatMap(({ snapshot }) => snapshot ?? []))
  const deskTrades = createDeskTradesRoute(chains.flatMap(({ desk }) => desk ?? []))
  const joint = [snapshot, deskTrades].filter((route) => route !== null)
  return [...chains.flatMap(({ routes }) => routes), ...joint, ...others]
}

/** What a newcomer may buy first: the past of the first chain that is sold. */
export const examplePathOf = (routes: readonly Route[]): string =>
  `${routes.find(({ params }) => 'hours' in params)?.pattern ?? '/v1/snapshot'}?hours=1`
