/**
 * The stages of the service and their processors in flow order. A processor sees the facts of a token and the records that
 * the processors before it emitted. Read this file first.
 */
import { type ChainName, type Config, chainNames } from '../infra/config.ts'
import { type ChainATypes, chainAStage } from '../schemas/chain-a/stage.ts'
import { type ChainBTypes, chainBStage } from '../schemas/chain-b/stage.ts'
import { type ChatTypes, chatsStage } from '../schemas/chats/stage.ts'
import type { StageTypes } from '../schemas/stage.ts'
import { grades } from './calls/grades/processor.ts'
import { bursts } from './chain-a/bursts/processor.ts'
import { buyers } from './chain-a/buyers/processor.ts'
import { calls } from './chain-a/calls/processor.ts'
import { curves } from './chain-a/curves/processor.ts'
import { desk } from './chain-a/desk/processor.ts'
import { gaps } from './chain-a/gaps/processor.ts'
import { liquidity } from './chain-a/liquidity/processor.ts'
import { markets } from './chain-a/markets/processor.ts'
import { minutes } from './chain-a/minutes/processor.ts'
import { outcomes } from './chain-a/outcomes/processor.ts'
import { pools } from './chain-a/pools/processor.ts'
import { chainAViews } from './chain-a/views/views.ts'
import { bursts as chainBBursts } from './chain-b/bursts/processor.ts'
import { calls as chainBCalls } from './chain-b/calls/processor.ts'
import { copies } from './chain-b/copies/processor.ts'
import { desk as chainBDesk } from './chain-b/desk/processor.ts'
import { gaps as chainBGaps } from './chain-b/gaps/processor.ts'
import { graduations } from './chain-b/graduations/processor.ts'
import { markets as chainBMarkets } from './chain-b/markets/processor.ts'
import { mints } from './chain-b/mints/processor.ts'
import { safety } from './chain-b/safety/processor.ts'
import { chainBViews } from './chain-b/views/views.ts'
import { cardCounts } from './chats/cards/processor.ts'
import { gaps as chatGaps } from './chats/gaps/processor.ts'
import type { RunnableStage } from './runtime/runnable-stage.ts'

export const chainA: RunnableStage<ChainATypes> = {
  stage: chainAStage,
  processors: [pools, gaps, curves, markets, minutes, bursts, buyers, liquidity, outcomes, calls, grades, desk],
  views: chainAViews,
}

export const chainB: RunnableStage<ChainBTypes> = {
  stage: chainBStage,
  processors: [
    mints,
    chainBGaps,
    chainBMarkets,
    chainBBursts,
    graduations,
    copies,
    chainBCalls,
    safety,
    grades,
    chainBDesk,
  ],
  views: chainBViews,
}

export const chats: RunnableStage<ChatTypes> = { stage: chatsStage, processors: [chatGaps, cardCounts], views: {} }

/** The stages of the chains that are there, with the deepest reorg of each one's chain. */
export function configuredStages(config: Config): readonly RunnableStage<StageTypes>[] {
  const stages: Readonly<Record<ChainName, RunnableStage<StageTypes>>> = {
    'chain-a': { ...chainA, reorgBlocksMax: config.CHAIN_A_REORG_BLOCKS_MAX },
    'chain-b': chainB,
    chats,
  }
  return chainNames(config).map((name) => stages[name])
}
