/** All chains of the service with simulated data, for the proofs. Add new chains here. */
import type { Chain } from '../../../ingest/chain.ts'
import { createSimulator as simulateChainA } from '../../../ingest/chain-a/simulated/simulator.ts'
import { createTokenHistories as createChainATales } from '../../../ingest/chain-a/simulated/token-histories.ts'
import { createSimulator as simulateChainB } from '../../../ingest/chain-b/simulated/simulator.ts'
import { slotsPerSec } from '../../../ingest/chain-b/simulated/slots.ts'
import { createTokenHistories as createChainBTales } from '../../../ingest/chain-b/simulated/token-histories.ts'
import { createSimulatedChats } from '../../../ingest/chats/simulated/simulator.ts'
import type { RunnableStage } from '../../../processors/runtime/runnable-stage.ts'
import { chainA as chainAStage, chainB as chainBStage, chats as chatsStage } from '../../../processors/stages.ts'
import type { StageTypes } from '../../../schemas/stage.ts'
import { losingSource } from '../../support/chain-b/losing-source.ts'

/** A span of a simulated market. */
export type Span = Readonly<{
  seed: number
  fromMs: number
  toMs: number
  rangeSec: number
  /** The time between two reorgs, and the maximum depth of a reorg, both in seconds. Default: no reorgs. */
  reorgs?: Readonly<{ seed: number; everySec: number; depthMax: number }>
}>

export type SimulatedChain = Readonly<{
  runnable: RunnableStage<StageTypes>
  simulate(span: Span, nowMs: () => number): Chain
}>

/**
 * Makes all lookups answer one after the other, so that a span has the same bytes each time. Slow lookups
 * would answer in parallel, in random order.
 */
const inOneLine = ({ lookups, ...chain }: Chain): Chain => ({
  ...chain,
  lookups: lookups.map((lookup) => ({ ...lookup, isSlow: false })),
})

export const chainA: SimulatedChain = {
  runnable: chainAStage,
  simulate: ({ reorgs, ...span }, nowMs) =>
    inOneLine(simulateChainA({ ...span, span, nowMs, ...(reorgs && { reorgs }) })),
}

/** One of this number of trades is lost. The number is small, so that every span has missing trades. */
const tradesPerLoss = 50
const slotsIn = (seconds: number): number => Math.floor(seconds * slotsPerSec)

export const chainB: SimulatedChain = {
  runnable: chainBStage,
  simulate({ reorgs, ...span }, nowMs) {
    const inSlots = reorgs && {
      seed: reorgs.seed,
      everySlots: slotsIn(reorgs.everySec),
      depthMax: slotsIn(reorgs.depthMax),
    }
    const chain = simulateChainB({ ...span, span, nowMs, ...(inSlots && { reorgs: inSlots }) })
    return inOneLine({ ...chain, source: losingSource(chain.source, tradesPerLoss) })
  },
}

const minuteMs = 60_000

/**
 * The chats cannot be reached for ten minutes. There are few calls per hour, because the simulator computes
 * the whole history of each called token.
 */
export const chats: SimulatedChain = {
  runnable: chatsStage,
  simulate({ seed, fromMs, ...span }, nowMs) {
    const markets = [createChainATales({ seed }), createChainBTales({ seed })]
    const outage = { fromMs: fromMs + 20 * minuteMs, toMs: fromMs + 30 * minuteMs }
    const world = { seed, markets, callers: 60, callsPerHour: 20 }
    return createSimulatedChats({ ...world, rangeSec: span.rangeSec, span: { fromMs, ...span }, outage, nowMs })
  },
}

/** The chains with tokens. */
export const chainsWithTokens: readonly SimulatedChain[] = [chainA, chainB]
export const simulatedChains: readonly SimulatedChain[] = [...chainsWithTokens, chats]
