/** The sources that are sold. A new source is added here. */
import type { Database } from '../infra/clickhouse/database.ts'
import { type Config, type SourceName, sourceNames } from '../infra/config.ts'
import { createCallsQueries } from '../projections/calls/queries/calls.ts'
import type { CallsQueries } from '../projections/calls/queries/calls-queries.ts'
import { calledChainA } from '../projections/chain-a/called-chain.ts'
import { createChainAQueries } from '../projections/chain-a/queries/chain-a.ts'
import { createChainACorrections } from '../projections/chain-a/queries/corrected.ts'
import { selectChainACovered } from '../projections/chain-a/queries/covered.ts'
import { calledChainB } from '../projections/chain-b/called-chain.ts'
import { createChainBQueries } from '../projections/chain-b/queries/chain-b.ts'
import { createChainBCorrections } from '../projections/chain-b/queries/corrected.ts'
import { selectChainBCovered } from '../projections/chain-b/queries/covered.ts'
import { selectBotCards } from '../projections/chats/queries/bot-cards.ts'
import { selectChatsCovered } from '../projections/chats/queries/covered.ts'
import { chatsStage } from '../schemas/chats/stage.ts'
import { createChainA } from './chain-a/chain.ts'
import { chainASource } from './chain-a/source.ts'
import { createChainB } from './chain-b/chain.ts'
import { chainBSource } from './chain-b/source.ts'
import { hasPriceProvider } from './price-provider.ts'
import type { ApiSource } from './source.ts'

/**
 * The options of a source. `ruleIdSecret` makes the ids of exit rules opaque. `callerIdSecret` makes the ids of callers
 * and chats opaque.
 */
type SourceOptions = Readonly<{ config: Config; database: Database; ruleIdSecret: string; callerIdSecret: string }>

const create: Readonly<Record<SourceName, (options: SourceOptions) => ApiSource>> = {
  'chain-a': ({ config, database, ruleIdSecret, callerIdSecret }) => {
    const { CHAIN_A_NAME: chainName, CHAIN_A_LAUNCHPAD_KEY: launchpadKey } = config
    const isLocal = config.CHAIN_A_PRESET === 'local'
    return {
      ...createChainA({
        queries: createChainAQueries({ database }),
        presentation: { chainName, launchpadKey, ruleIdSecret, callerIdSecret },
      }),
      called: {
        ...{ ...calledChainA, wireName: chainName, idLetter: 'a', source: chainASource },
        hasPriceProvider: hasPriceProvider(config, { isLocal }),
      },
      record: {
        covered: (cut) => selectChainACovered(database, cut),
        corrections: createChainACorrections(database),
      },
    }
  },
  'chain-b': ({ config, database, ruleIdSecret, callerIdSecret }) => {
    const chainName = config.CHAIN_B_NAME
    return {
      ...createChainB({
        queries: createChainBQueries({ database }),
        presentation: { chainName, ruleIdSecret, callerIdSecret },
      }),
      called: {
        ...{ ...calledChainB, wireName: chainName, idLetter: 'b', source: chainBSource },
        hasPriceProvider: hasPriceProvider(config, { isLocal: false }),
      },
      record: {
        covered: (cut) => selectChainBCovered(database, cut),
        corrections: createChainBCorrections(database),
      },
    }
  },
  chats: ({ database, callerIdSecret }) => {
    // The routes and the front page share the queries, because the queries keep lists of callers in memory.
    let queries: CallsQueries | null = null
    return {
      stage: chatsStage,
      posts: {
        queriesOf(chains) {
          queries ??= createCallsQueries({ database, chains })
          return queries
        },
        callerIdSecret,
      },
      botCards: (cut) => selectBotCards(database, cut),
      record: { covered: (cut) => selectChatsCovered(database, cut), corrections: null },
    }
  },
}

/** Creates only the sources that are configured. For a source without data, the service would wait for ever. */
export const createSources = (options: SourceOptions): readonly ApiSource[] =>
  sourceNames(options.config).map((name) => create[name](options))
