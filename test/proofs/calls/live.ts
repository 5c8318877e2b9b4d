/**
 * Runs both chains and the chats through the real pipeline, minute by minute. The log gets the posts and
 * blocks of each minute, with all derived records and lookup answers. A post is known within a minute, as in
 * live operation.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { SchemaRegistry } from '../../../infra/codec/schema-codec.ts'
import type { Log } from '../../../infra/log/log.ts'
import { runTogether } from '../../../infra/run-together.ts'
import type { Chain } from '../../../ingest/chain.ts'
import { createSimulator as simulateChainA } from '../../../ingest/chain-a/simulated/simulator.ts'
import { createTokenHistories as createChainATales } from '../../../ingest/chain-a/simulated/token-histories.ts'
import { createSimulator as simulateChainB } from '../../../ingest/chain-b/simulated/simulator.ts'
import { createTokenHistories as createChainBTales } from '../../../ingest/chain-b/simulated/token-histories.ts'
import { createSimulatedChats } from '../../../ingest/chats/simulated/simulator.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import type { Delay } from '../../../ingest/delay.ts'
import { runIngest } from '../../../ingest/run-ingest.ts'
import { runStage } from '../../../processors/runtime/run-stage.ts'
import type { RunnableStage } from '../../../processors/runtime/runnable-stage.ts'
import { chainA, chainB, chats } from '../../../processors/stages.ts'
import type { StageTypes } from '../../../schemas/stage.ts'
import { silentLogger } from '../../replay/stage-log.ts'
import { openMentions } from '../../support/mentions-in-turn.ts'
import { createTurns } from '../../support/turns.ts'
import { withSuchProvider } from './provider.ts'
import { createSettled } from './settled.ts'

export type LivePlan = Readonly<{
  seed: number
  fromMs: number
  toMs: number
  callers: number
  callsPerHour: number
  chainALaunchesPerDay: number
  chainBLaunchesPerDay: number
  /** The time in which the chats cannot be reached. */
  outage?: Readonly<{ fromMs: number; toMs: number }>
}>

export type Clock = { atMs: number }
type Place = Readonly<{ log: Log; registry: SchemaRegistry; clock: Clock; signal: AbortSignal }>

const stepMs = 60_000
/**
 * The number of called tokens that the test pipeline follows at most. A simulated day calls a few hundred
 * tokens of each chain, so it reaches this limit. The real service follows more tokens.
 */
const followedTokensMax = 300
/** The time from the last block of a minute until the pipeline reads that minute, in milliseconds. */
const knownAfterMs = 1_500
/**
 * The time after the end of a minute, in milliseconds, until the chains publish a tick without a block. The
 * posts of the minute count in this tick, so that their prices are looked up in time.
 */
const quietAfterMs = 3_000

/**
 * Resolves when all records of the plan are in the log, with all derived records and lookup answers. The log
 * stamps its records by `place.clock`.
 */
export async function runLive(plan: LivePlan, place: Place, onStep = async (_atMs: number) => {}): Promise<void> {
  const stop = new AbortController()
  const signal = AbortSignal.any([place.signal, stop.signal])
  const chainAMarket = simulateChainA({ ...optionsOf(plan, place.clock), launchesPerDay: plan.chainALaunchesPerDay })
  const sources = sourcesOf(plan, place.clock, chainAMarket)
  const lanes = await Promise.all(sources.map((source) => openLane(source, { ...place, signal })))
  const mentions = await openMentions({
    ...{ ...place, nowMs: () => place.clock.atMs, signal },
    readCode: chainAMarket.hasCode,
    followedTokensMax,
  })
  const [chainALane, chainBLane, chatLane] = lanes as [Lane, Lane, Lane]
  const step = async (untilMs: number) => {
    place.clock.atMs = untilMs
    await chatLane.move()
    await mentions.turns.give()
    place.clock.atMs = untilMs + knownAfterMs
    await Promise.all([chainALane.move(), chainBLane.move()])
    for (const { settled } of lanes) await settled(signal)
    place.clock.atMs = Math.max(place.clock.atMs, untilMs + quietAfterMs)
    await Promise.all([chainALane.move(), chainBLane.move()])
    for (const { settled } of [chainALane, chainBLane]) await settled(signal)
  }
  const stepping = async () => {
    for (let untilMs = plan.fromMs + stepMs; untilMs <= plan.toMs && !signal.aborted; untilMs += stepMs) {
      await step(untilMs)
      await onStep(untilMs)
    }
    stop.abort()
  }
  await runTogether([stepping(), mentions.run(), ...lanes.flatMap(({ run }) => run())], stop)
}

type Source = Readonly<{ chain: Chain; runnable: RunnableStage<StageTypes> }>

const optionsOf = (plan: LivePlan, clock: Clock) =>
  ({ seed: plan.seed, nowMs: () => clock.atMs, rangeSec: stepMs / 1000, span: plan }) as const

type ChainAMarket = ReturnType<typeof simulateChainA>

const askingSuch = <Of extends Chain>(chain: Of): Of => ({ ...chain, lookups: withSuchProvider(chain.lookups) })

function sourcesOf(plan: LivePlan, clock: Clock, chainAMarket: ChainAMarket): readonly Source[] {
  const { seed, callers, callsPerHour } = plan
  const options = optionsOf(plan, clock)
  const [ofA, ofB] = [plan.chainALaunchesPerDay, plan.chainBLaunchesPerDay]
  const markets = [createChainATales({ seed, launchesPerDay: ofA }), createChainBTales({ seed, launchesPerDay: ofB })]
  return [
    { chain: askingSuch(chainAMarket), runnable: chainA },
    { chain: askingSuch(simulateChainB({ ...options, launchesPerDay: ofB })), runnable: chainB },
    {
      chain: createSimulatedChats({
        ...options,
        ...(plan.outage && { outage: plan.outage }),
        ...{ markets, callers, callsPerHour, crowdEveryHours: 5 },
      }),
      runnable: chats,
    },
  ]
}

type Lane = Readonly<{
  /** Publishes the next due range. If there is none, it publishes a tick without a block. */
  move(): Promise<void>
  settled: (signal: AbortSignal) => Promise<void>
  run(): readonly Promise<void>[]
}>

async function openLane({ chain, runnable }: Source, { log, registry, clock, signal }: Place): Promise<Lane> {
  const codecs = await createIngestCodecs(chain.stage, registry)
  const [turns, silences] = [createTurns(), createTurns()]
  let dueAtMs = Number.POSITIVE_INFINITY
  const nowMs = () => clock.atMs
  const onIdle = () => {
    clock.atMs += 1_000
  }
  const source: Chain['source'] = {
    kind: chain.source.kind,
    async *ranges(cursor, known, abort) {
      for await (const range of chain.source.ranges(cursor, known, abort)) {
        dueAtMs = range.head.atMs
        await turns.wait(abort)
        if (abort.aborted) return
        yield range
      }
      dueAtMs = Number.POSITIVE_INFINITY
      await turns.wait(abort)
    },
  }
  const delay: Delay = (ms, abort) => (ms === silenceMs ? silences.wait(abort) : sleep(Math.min(ms, 1)))
  const ingest = async () => {
    await runIngest({
      ...{ log, codecs, nowMs, logger: silentLogger, signal, delay },
      chain: { ...chain, source },
    })
    turns.leave()
    silences.leave()
  }
  const move = async () => {
    await turns.come()
    await (dueAtMs <= clock.atMs ? turns : silences).give()
  }
  const stage = async () =>
    runStage(
      {
        ...{ log, factCodec: codecs.facts, derivedCodec: codecs.derived, ...runnable },
        ...{ nowMs: () => performance.now(), logger: silentLogger, snapshotEveryMs: Number.POSITIVE_INFINITY },
      },
      signal,
    )
  return { move, settled: createSettled({ log, codecs, chain, nowMs, onIdle }), run: () => [ingest(), stage()] }
}

/** After this time without a range, ingest publishes a tick without a block. */
const silenceMs = 1_000
