/**
 * Runs the first start of the whole pipeline at some time of a simulated day. The pipeline has older blocks
 * to read. Some sources fall silent, or the service stops for a while. Time moves in steps, and each source
 * catches up at its own pace.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { runTogether } from '../../../infra/run-together.ts'
import type { Chain } from '../../../ingest/chain.ts'
import { createSimulator as simulateChainA } from '../../../ingest/chain-a/simulated/simulator.ts'
import { createTokenHistories as createChainATales } from '../../../ingest/chain-a/simulated/token-histories.ts'
import { createSimulator as simulateChainB } from '../../../ingest/chain-b/simulated/simulator.ts'
import { createTokenHistories as createChainBTales } from '../../../ingest/chain-b/simulated/token-histories.ts'
import { createSimulatedChats } from '../../../ingest/chats/simulated/simulator.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import { runLookups } from '../../../ingest/lookups/lookups.ts'
import { createChainPublisher } from '../../../ingest/publish.ts'
import { runStage } from '../../../processors/runtime/run-stage.ts'
import type { RunnableStage } from '../../../processors/runtime/runnable-stage.ts'
import { chainA, chainB, chats } from '../../../processors/stages.ts'
import type { StageTypes } from '../../../schemas/stage.ts'
import { silentLogger } from '../../replay/stage-log.ts'
import { createRandom } from '../../support/chain-a-node/random.ts'
import { openMentions } from '../../support/mentions-in-turn.ts'
import type { World } from '../calls/derive/project.ts'
import { createSettled } from '../calls/settled.ts'

export type SourceName = 'chain-a' | 'chain-b' | 'chats'
/** An outage of one source. With `all`, the service does not run, so there are no ticks. */
export type Outage = Readonly<{ of: SourceName | 'all'; fromMs: number; toMs: number }>

export type StartPlan = Readonly<{
  seed: number
  startMs: number
  endMs: number
  lookBackMs: number
  /**
   * The slowest source reads at most this many ranges of blocks in a step of two seconds. The next source
   * reads at most twice as many, and so on.
   */
  rangesMost: number
  sources: readonly SourceName[]
  outages: readonly Outage[]
}>

/**
 * After a step at the time `knownAtMs`, the block time up to which each source was published. The answers are
 * checked against these times.
 */
export type Reached = Readonly<{ knownAtMs: number; completeAtMs: ReadonlyMap<SourceName, number> }>

const rangeSec = 30
const liveStepMs = 30_000
const catchUpStepMs = 2_000
/** The time from a block until the source can read the block, in milliseconds. */
const knownAfterMs = 1_500

const market = { callers: 40, callsPerHour: 40, chainALaunchesPerDay: 150, chainBLaunchesPerDay: 600 } as const

/** Resolves when all records of the plan are in the log, with all derived records and lookup answers. */
export async function runStart(plan: StartPlan, world: World): Promise<readonly Reached[]> {
  const { clock, log, registry } = world
  clock.atMs = plan.startMs
  const stop = new AbortController()
  const { signal } = stop
  const nowMs = () => clock.atMs
  const random = createRandom(plan.seed)
  const lanes = await Promise.all(sourcesOf(plan, nowMs).map((source) => openLane(source, { ...world, nowMs, signal })))
  const mentions = await openMentions({ log, registry, nowMs, signal })
  const reached: Reached[] = []
  const isOut = (name: string) =>
    plan.outages.some(({ of, fromMs, toMs }) => of === name && clock.atMs >= fromMs && clock.atMs < toMs)
  // The seed decides which source is the slowest.
  const paceOf = (name: SourceName) => {
    const place = (plan.sources.indexOf(name) + plan.seed) % plan.sources.length
    return isOut(name) ? 0 : 1 + Math.floor(random() * plan.rangesMost * 2 ** place)
  }
  const step = async () => {
    for (const lane of lanes.filter(({ name }) => name === 'chats')) await lane.move(paceOf(lane.name))
    await mentions.turns.give()
    for (const lane of lanes.filter(({ name }) => name !== 'chats')) await lane.move(paceOf(lane.name))
    for (const { settled } of lanes) await settled(signal)
    const completeAtMs = new Map(lanes.map((lane) => [lane.name, lane.completeAtMs()]))
    reached.push({ knownAtMs: clock.atMs, completeAtMs })
  }
  const standsUntilMs = () =>
    plan.outages.find(({ of, fromMs, toMs }) => of === 'all' && clock.atMs >= fromMs && clock.atMs < toMs)?.toMs
  const stepping = async () => {
    while (clock.atMs <= plan.endMs) {
      await step()
      const isBehind = lanes.some((lane) => !isOut(lane.name) && lane.isBehind())
      clock.atMs += isBehind ? catchUpStepMs : liveStepMs - ((clock.atMs - knownAfterMs) % liveStepMs)
      clock.atMs = standsUntilMs() ?? clock.atMs
    }
    stop.abort()
  }
  try {
    await runTogether([stepping(), mentions.run(), ...lanes.flatMap(({ run }) => run())], stop)
  } finally {
    await Promise.all(lanes.map(({ close }) => close()))
  }
  return reached
}

type Source = Readonly<{ name: SourceName; chain: Chain; runnable: RunnableStage<StageTypes> }>

function sourcesOf({ seed, startMs, endMs, lookBackMs, sources }: StartPlan, nowMs: () => number): readonly Source[] {
  const { chainALaunchesPerDay: ofA, chainBLaunchesPerDay: ofB, callers, callsPerHour } = market
  const fromMs = Math.floor((startMs - lookBackMs) / 1000) * 1000
  const span = { fromMs, toMs: Math.ceil(endMs / 1000) * 1000 }
  const options = { seed, nowMs, rangeSec, span } as const
  const markets = [createChainATales({ seed, launchesPerDay: ofA }), createChainBTales({ seed, launchesPerDay: ofB })]
  const all: readonly Source[] = [
    { name: 'chain-a', chain: simulateChainA({ ...options, launchesPerDay: ofA }), runnable: chainA },
    { name: 'chain-b', chain: simulateChainB({ ...options, launchesPerDay: ofB }), runnable: chainB },
    { name: 'chats', chain: createSimulatedChats({ ...options, markets, callers, callsPerHour }), runnable: chats },
  ]
  return all.filter(({ name }) => sources.includes(name))
}

type Lane = Readonly<{
  name: SourceName
  /**
   * Publishes at most `pace` of the ranges of blocks that are due. If there is no range to publish, it
   * publishes a tick without a block.
   */
  move(pace: number): Promise<void>
  isBehind(): boolean
  completeAtMs(): number
  settled(signal: AbortSignal): Promise<void>
  run(): readonly Promise<void>[]
  close(): Promise<void>
}>

type Place = Pick<World, 'log' | 'registry'> & Readonly<{ nowMs: () => number; signal: AbortSignal }>

async function openLane({ name, chain, runnable }: Source, { log, registry, nowMs, signal }: Place): Promise<Lane> {
  const codecs = await createIngestCodecs(chain.stage, registry)
  const publisher = await createChainPublisher({ chain, kind: 'simulated', log, codecs, nowMs })
  const ranges = chain.source.ranges(null, publisher.known, signal)[Symbol.asyncIterator]()
  const price = async () => (chain.readPrice ? await chain.readPrice(signal) : null)
  let next = await ranges.next()
  const isDue = () => !next.done && next.value.head.atMs + knownAfterMs <= nowMs()
  const lookups = { chain, log, codecs, nowMs, logger: silentLogger, signal, delay: () => sleep(1) }
  const stage = {
    ...{ log, factCodec: codecs.facts, derivedCodec: codecs.derived, ...runnable },
    ...{ nowMs: () => performance.now(), logger: silentLogger, snapshotEveryMs: Number.POSITIVE_INFINITY },
  }
  return {
    name,
    async move(pace) {
      for (let count = 0; count < pace; count++) {
        if (next.done || !isDue()) {
          if (count === 0) await publisher.repeat(await price())
          return
        }
        await publisher.publish(next.value, await price())
        next = await ranges.next()
      }
      if (pace === 0) await publisher.repeat(await price())
    },
    isBehind: isDue,
    completeAtMs: () => publisher.cursor()?.atMs ?? 0,
    settled: createSettled({ log, codecs, chain, nowMs }),
    run: () => [runLookups(lookups), runStage(stage, signal)],
    close: () => publisher.close(),
  }
}
