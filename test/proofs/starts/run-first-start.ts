/**
 * Simulates a first start of both chains at a random time of day. First, hours of the past are read while the
 * stages derive records and the lookups run. Then the chains are live. Lookups about the past are slow, so
 * they continue for some minutes.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { runTogether } from '../../../infra/run-together.ts'
import type { Chain } from '../../../ingest/chain.ts'
import { createSimulator as simulateChainA } from '../../../ingest/chain-a/simulated/simulator.ts'
import { createSimulator as simulateChainB } from '../../../ingest/chain-b/simulated/simulator.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import type { Lookup } from '../../../ingest/lookups/lookup.ts'
import { runLookups } from '../../../ingest/lookups/lookups.ts'
import { createChainPublisher } from '../../../ingest/publish.ts'
import { runStage } from '../../../processors/runtime/run-stage.ts'
import type { RunnableStage } from '../../../processors/runtime/runnable-stage.ts'
import { chainA, chainB } from '../../../processors/stages.ts'
import type { StageTypes } from '../../../schemas/stage.ts'
import { silentLogger } from '../../replay/stage-log.ts'
import { createRandom } from '../../support/chain-a-node/random.ts'
import type { World } from '../calls/derive/project.ts'
import { createGate, type Gate } from './gate.ts'
import { createQuiet } from './quiet.ts'

export type FirstStart = Readonly<{
  seed: number
  startMs: number
  lookBackMs: number
  liveMs: number
  /** The largest number of lookups about the past that the gate lets pass in one step. */
  answersMost: number
  /** The largest number of past block ranges that are read in one step. */
  rangesMost: number
}>

/** `liveFromMs`: the time at which the past had been read. `lastMs`: the last time of the run. */
export type Reached = Readonly<{ liveFromMs: number; lastMs: number }>

const rangeSec = 6
const stepMs = rangeSec * 1000
/** The delay after which a block is known, in milliseconds. */
const knownAfterMs = 1500
/** This rate is so high that wallets buy in several bursts within an hour. */
const chainALaunchesPerDay = 2000
/** The number of steps at the end without a new block. In these steps all open lookups are answered. */
const lastSteps = 15

export async function runFirstStart(plan: FirstStart, world: World): Promise<Reached> {
  const { clock } = world
  const random = createRandom(plan.seed)
  const gate = createGate((atMs) => atMs < plan.startMs - 120_000)
  const stop = new AbortController()
  const lanes = await Promise.all(
    sourcesOf(plan, () => clock.atMs, gate).map((source) => openLane(source, world, stop.signal)),
  )
  const quiet = createQuiet(world.log)
  let liveFromMs = 0
  const stepping = async () => {
    clock.atMs = plan.startMs
    while (lanes.some((lane) => lane.isBehind())) {
      for (const lane of lanes) await lane.move(1 + Math.floor(random() * plan.rangesMost))
      gate.open(Math.floor(random() * plan.answersMost))
      clock.atMs += 200 + Math.floor(random() * 1800)
      await sleep(random() * 20)
    }
    liveFromMs = clock.atMs
    while (clock.atMs < plan.startMs + plan.liveMs) {
      for (const lane of lanes) await lane.move(Number.POSITIVE_INFINITY)
      gate.open(Math.floor(random() * (plan.answersMost + 1)))
      await quiet()
      clock.atMs += stepMs
    }
    gate.open(Number.POSITIVE_INFINITY)
    for (let step = 0; step < lastSteps; step++) {
      await quiet()
      for (const lane of lanes) await lane.move(0)
      clock.atMs += stepMs
    }
    await quiet()
    stop.abort()
  }
  try {
    await runTogether([stepping(), ...lanes.flatMap(({ run }) => run())], stop)
  } finally {
    await Promise.all(lanes.map(({ close }) => close()))
  }
  return { liveFromMs, lastMs: clock.atMs - stepMs - 1 }
}

type Source = Readonly<{ chain: Chain; runnable: RunnableStage<StageTypes> }>

function sourcesOf({ seed, startMs, lookBackMs, liveMs }: FirstStart, nowMs: () => number, gate: Gate) {
  const span = { fromMs: startMs - lookBackMs, toMs: startMs + liveMs }
  const options = { seed, nowMs, rangeSec, span } as const
  const slowed = (chain: Chain): Chain => ({ ...chain, lookups: chain.lookups.map((lookup) => slow(lookup, gate)) })
  const sources: readonly Source[] = [
    { chain: slowed(simulateChainA({ ...options, launchesPerDay: chainALaunchesPerDay })), runnable: chainA },
    { chain: slowed(simulateChainB(options)), runnable: chainB },
  ]
  return sources
}

const slow = (lookup: Lookup, gate: Gate): Lookup => ({
  ...lookup,
  async find(asked, context) {
    await gate.pass(asked.atMs, context.signal)
    return lookup.find(asked, context)
  },
})

async function openLane({ chain, runnable }: Source, { log, registry, clock }: World, signal: AbortSignal) {
  const nowMs = () => clock.atMs
  const codecs = await createIngestCodecs(chain.stage, registry)
  const publisher = await createChainPublisher({ chain, kind: 'simulated', log, codecs, nowMs })
  const ranges = chain.source.ranges(null, publisher.known, signal)[Symbol.asyncIterator]()
  const price = async () => (chain.readPrice ? await chain.readPrice(signal) : null)
  let next = await ranges.next()
  const isBehind = () => !next.done && next.value.head.atMs + knownAfterMs <= nowMs()
  const lookups = { chain, log, codecs, nowMs, logger: silentLogger, signal, delay: () => sleep(1) }
  const stage = {
    ...{ log, factCodec: codecs.facts, derivedCodec: codecs.derived, ...runnable },
    ...{ nowMs: () => performance.now(), logger: silentLogger, snapshotEveryMs: Number.POSITIVE_INFINITY },
  }
  return {
    isBehind,
    /**
     * Publishes at most `rangesMost` of the finished ranges. If there is no finished range, `move` publishes
     * a tick without a block.
     */
    async move(rangesMost: number) {
      let count = 0
      for (; count < rangesMost && isBehind() && !next.done; count++) {
        await publisher.publish(next.value, await price())
        next = await ranges.next()
      }
      if (count === 0) await publisher.repeat(await price())
    },
    run: () => [runLookups(lookups), runStage(stage, signal)],
    close: () => publisher.close(),
  }
}
