/** The simulated trades with which the stages are measured. */
import type { Chain } from '../../ingest/chain.ts'
import { createSimulator as simulateChainA } from '../../ingest/chain-a/simulated/simulator.ts'
import { createSimulator as simulateChainB } from '../../ingest/chain-b/simulated/simulator.ts'
import type { RunnableStage } from '../../processors/runtime/runnable-stage.ts'
import { chainA, chainB } from '../../processors/stages.ts'
import type { StageTypes } from '../../schemas/stage.ts'

type Span = Readonly<{ fromMs: number; toMs: number }>

export type BenchMarket = Readonly<{
  runnable: RunnableStage<StageTypes>
  /** The same market each time. `scale` multiplies its launches. */
  simulate(span: Span, scale?: number): Chain
  coinUsd: number
  /**
   * How the size of the state is counted. `type` is the fact that begins one counted item, for example a
   * pool.
   */
  counted: Readonly<{ name: string; type: string }>
}>

/** The number of launches per day, which is about the same as on the real chains. */
const launchesPerDay = { 'chain-a': 5000, 'chain-b': 30_000 } as const

export const benchMarkets = {
  'chain-a': {
    runnable: chainA,
    simulate: (span, scale = 1) =>
      simulateChainA({ seed: 1, launchesPerDay: launchesPerDay['chain-a'] * scale, nowMs: () => span.toMs, span }),
    coinUsd: 3000,
    counted: { name: 'live pools', type: 'PoolCreated' },
  },
  'chain-b': {
    runnable: chainB,
    simulate: (span, scale = 1) =>
      simulateChainB({ seed: 1, launchesPerDay: launchesPerDay['chain-b'] * scale, nowMs: () => span.toMs, span }),
    coinUsd: 150,
    counted: { name: 'live mints', type: 'CurveLaunched' },
  },
} as const satisfies Readonly<Record<string, BenchMarket>>

export type BenchMarketName = keyof typeof benchMarkets
