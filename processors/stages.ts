/**
 * The stages of the service and their processors in flow order. A processor reads the facts of a token and the records of earlier
 * processors. Read this file first.
 */
import { type Config, type SourceName, sourceNames } from '../infra/config.ts'
import { withRules } from '../infra/rules-version.ts'
import { type ChainATypes, chainAStage } from '../schemas/chain-a/stage.ts'
import { type ChainBTypes, chainBStage } from '../schemas/chain-b/stage.ts'
import { type ChatTypes, chatsStage } from '../schemas/chats/stage.ts'
import { defaultRules, type Rules } from '../schemas/rules.ts'
import type { StageTypes } from '../schemas/stage.ts'
import { createGrades } from './calls/grades/processor.ts'
import { createBursts } from './chain-a/bursts/processor.ts'
import { createBuyers } from './chain-a/buyers/processor.ts'
import { createCalls } from './chain-a/calls/processor.ts'
import { createCurves } from './chain-a/curves/processor.ts'
import { createChainADesk } from './chain-a/desk/processor.ts'
import { gaps } from './chain-a/gaps/processor.ts'
import { createLiquidity } from './chain-a/liquidity/processor.ts'
import { createChainAMarkets } from './chain-a/markets/processor.ts'
import { minutes } from './chain-a/minutes/processor.ts'
import { createOutcomes } from './chain-a/outcomes/processor.ts'
import { createPools } from './chain-a/pools/processor.ts'
import { chainAViews } from './chain-a/views/views.ts'
import { createBursts as createChainBBursts } from './chain-b/bursts/processor.ts'
import { createCalls as createChainBCalls } from './chain-b/calls/processor.ts'
import { createCopies } from './chain-b/copies/processor.ts'
import { createChainBDesk } from './chain-b/desk/processor.ts'
import { gaps as chainBGaps } from './chain-b/gaps/processor.ts'
import { createGraduations } from './chain-b/graduations/processor.ts'
import { createChainBMarkets } from './chain-b/markets/processor.ts'
import { createMints } from './chain-b/mints/processor.ts'
import { minutes as mintMinutes } from './chain-b/minutes/processor.ts'
import { safety } from './chain-b/safety/processor.ts'
import { chainBViews } from './chain-b/views/views.ts'
import { cardCounts } from './chats/cards/processor.ts'
import { gaps as chatGaps } from './chats/gaps/processor.ts'
import type { RunnableStage } from './runtime/runnable-stage.ts'

/**
 * Builds the stage of chain A with these rules. A stage with other rules has other derived records, but the
 * same facts and lookup answers.
 */
export function createChainA(rules: Rules): RunnableStage<ChainATypes> {
  const { chainA: own, calls, desk } = rules
  return {
    stage: withRules(chainAStage, 'chain-a', rules),
    processors: [
      createPools(own.pools),
      gaps,
      createCurves(own.curves),
      createChainAMarkets(own),
      minutes,
      createBursts(own.bursts),
      createBuyers(own.buyers),
      createLiquidity(own.liquidity),
      createOutcomes(own.outcomes),
      createCalls(calls),
      createGrades(calls.grades),
      createChainADesk({ ...desk, ...own.desk, watchMs: calls.watchMs }),
    ],
    views: chainAViews,
  }
}

export function createChainB(rules: Rules): RunnableStage<ChainBTypes> {
  const { chainB: own, calls, desk } = rules
  return {
    stage: withRules(chainBStage, 'chain-b', rules),
    processors: [
      createMints(own.mints),
      chainBGaps,
      createChainBMarkets(own.mints),
      mintMinutes,
      createChainBBursts(own),
      createGraduations(own.graduations),
      createCopies(own),
      createChainBCalls(calls),
      safety,
      createGrades(calls.grades),
      createChainBDesk({ ...desk, ...own.desk, watchMs: calls.watchMs }),
    ],
    views: chainBViews,
  }
}

export const chainA = createChainA(defaultRules)
export const chainB = createChainB(defaultRules)

export const chats: RunnableStage<ChatTypes> = { stage: chatsStage, processors: [chatGaps, cardCounts], views: {} }

/**
 * Returns the stages of the configured sources. For chain A, the deepest supported reorg comes from the
 * configuration.
 */
export function configuredStages(config: Config): readonly RunnableStage<StageTypes>[] {
  const stages: Readonly<Record<SourceName, RunnableStage<StageTypes>>> = {
    'chain-a': { ...chainA, reorgBlocksMax: config.CHAIN_A_REORG_BLOCKS_MAX },
    'chain-b': chainB,
    chats,
  }
  return sourceNames(config).map((name) => stages[name])
}
