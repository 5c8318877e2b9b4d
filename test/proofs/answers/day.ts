/**
 * A simulated day of chain B in the real pipeline: ingest with its lookup, the stage, and the projections.
 * The clock follows the chain. As in live operation, each range of slots is derived and answered before the
 * next range begins.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { base58OfHex } from '../../../infra/base58.ts'
import { createDatabase, type Database } from '../../../infra/clickhouse/database.ts'
import { prepareSchemas } from '../../../infra/codec/prepare-schemas.ts'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import type { SchemaRegistry } from '../../../infra/codec/schema-codec.ts'
import type { Log } from '../../../infra/log/log.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { dataOf, scan, type TypedPartition } from '../../../infra/log/scan.ts'
import { runTogether } from '../../../infra/run-together.ts'
import { orderInBlock } from '../../../ingest/chain-b/fact-order.ts'
import { createHoldersLookup, type HolderReader } from '../../../ingest/chain-b/lookups/holders.ts'
import { createSimulator } from '../../../ingest/chain-b/simulated/simulator.ts'
import type { ChainBSource, MintFact } from '../../../ingest/chain-b/types.ts'
import { createIngestCodecs, type IngestCodecs } from '../../../ingest/codecs.ts'
import { runIngest } from '../../../ingest/run-ingest.ts'
import { runStage } from '../../../processors/runtime/run-stage.ts'
import { createStageCodecs } from '../../../processors/runtime/stage-codecs.ts'
import { chainB } from '../../../processors/stages.ts'
import { projections } from '../../../projections/projections.ts'
import { projectToEnd } from '../../../projections/sink/run.ts'
import { type ChainBTypes, chainBStage } from '../../../schemas/chain-b/stage.ts'
import { topics } from '../../../schemas/topics.ts'
import { silentLogger } from '../../replay/stage-log.ts'
import { steppedDelay } from '../crash/derive-span.ts'
import type { Edges } from './edges.ts'

/**
 * Until `toMs`, ingest reads the chain in ranges of `rangeSec` seconds. It looks up the holders of a mint
 * `askAfterMs` after the mint's burst.
 */
type Phase = Readonly<{ toMs: number; rangeSec: number; askAfterMs: number }>
export type DayPlan = Readonly<{
  seed: number
  fromMs: number
  phases: readonly Phase[]
  edges: Edges
  /** Changes the trades that ingest reads. By default, ingest reads all trades. */
  hear?: (market: ChainBSource) => ChainBSource
}>

export type Day = Readonly<{ log: Log; registry: SchemaRegistry; codecs: IngestCodecs<ChainBTypes> }>

/** The time from the last slot of a range until the range is known. */
const knownAfterMs = 1_500

/**
 * If the holders of a mint cannot be read, the lookup asks again until this time after the burst, in
 * milliseconds.
 */
const askedForMs = 60_000

type Clock = { atMs: number }

/** Resolves when the whole day is in the log, with all derived records and answers. */
export async function liveDay({ seed, fromMs, phases, edges, hear = same }: DayPlan): Promise<Day> {
  const clock: Clock = { atMs: fromMs }
  const log = createMemoryLog({ nowMs: () => clock.atMs })
  const registry = createMemoryRegistry()
  await prepareSchemas(registry, topics)
  const codecs = await createIngestCodecs(chainBStage, registry)
  const day: Day = { log, registry, codecs }
  const stop = new AbortController()
  const ingesting = async () => {
    for (const [index, phase] of phases.entries())
      await ingestPhase(
        day,
        { ...phase, seed, edges, hear, fromMs: phases[index - 1]?.toMs ?? fromMs },
        { clock, signal: stop.signal },
      )
    stop.abort()
  }
  await runTogether([ingesting(), runDayStage(day, stop.signal)], stop)
  return day
}

const same = (market: ChainBSource): ChainBSource => market

const runDayStage = async ({ log, registry }: Day, signal: AbortSignal): Promise<void> =>
  runStage(
    {
      ...{ log, ...(await createStageCodecs(chainB, registry)), ...chainB },
      ...{ nowMs: () => performance.now(), logger: silentLogger },
    },
    signal,
  )

type Ingesting = Readonly<{ clock: Clock; signal: AbortSignal }>

async function ingestPhase(
  day: Day,
  { seed, fromMs, toMs, rangeSec, askAfterMs, edges, hear = same }: Phase & Omit<DayPlan, 'phases'>,
  { clock, signal }: Ingesting,
): Promise<void> {
  const nowMs = () => clock.atMs
  const simulator = createSimulator({ seed, nowMs, rangeSec, span: { fromMs, toMs } })
  const unread = new Set<string>()
  const readHolders: HolderReader = async (question, abort) => {
    try {
      return edges.holdersOf(question.mint) ?? (await simulator.readHolders(question, abort))
    } catch (error) {
      unread.add(base58OfHex(question.mint))
      throw error
    }
  }
  await runIngest({
    ...{ log: day.log, codecs: day.codecs, nowMs, logger: silentLogger, signal, delay: steppedDelay },
    chain: {
      ...simulator,
      lookups: [{ ...createHoldersLookup(readHolders), askAfterMs }],
      source: stepwise(hear(simulator.source), day, { clock, askAfterMs, edges, unread }),
    },
  })
}

/** `unread` are mints whose holders could not be read. */
type Stepping = Readonly<{ clock: Clock; askAfterMs: number; edges: Edges; unread: ReadonlySet<string> }>

/** Holds each range back until the stage has derived the range before it and all due lookups are answered. */
function stepwise(source: ChainBSource, day: Day, { clock, askAfterMs, edges, unread }: Stepping): ChainBSource {
  return {
    kind: source.kind,
    async *ranges(cursor, known, signal) {
      const settled = createSettledWait(day)
      const isDue = ({ questionId, atMs }: Asked) => {
        const isUnread = unread.has(questionId.slice(0, questionId.indexOf(':')))
        return clock.atMs - atMs >= (isUnread ? Math.max(askAfterMs, askedForMs) : askAfterMs)
      }
      for await (const range of source.ranges(cursor, known, signal)) {
        await settled(signal, isDue)
        if (signal.aborted) return
        clock.atMs = range.head.atMs + knownAfterMs
        yield { ...range, facts: merged(range.facts, edges.factsOf(range.fromBlock, range.head.number)) }
      }
      await settled(signal, isDue)
    },
  }
}

const merged = (market: readonly MintFact[], more: readonly MintFact[]): readonly MintFact[] =>
  [...market, ...more].sort(
    ({ fact: one }, { fact: other }) =>
      one.data.blockNumber - other.data.blockNumber || orderInBlock(one) - orderInBlock(other),
  )

type Asked = Readonly<{ questionId: string; atMs: number }>
type Lane = { readonly reader: TypedPartition; offset: number; lastSeq: number }

function createSettledWait({ log, codecs }: Day) {
  const { factTopic, derivedTopic } = chainBStage
  const lanesOf = (topic: string, codec: TypedPartition['codec']): readonly Lane[] =>
    Array.from({ length: factTopic.partitionCount }, (_, partition) => ({
      reader: { log, topic, partition, codec },
      ...{ offset: 0, lastSeq: 0 },
    }))
  const facts = lanesOf(factTopic.name, codecs.facts)
  const derived = lanesOf(derivedTopic.name, codecs.derived)
  const answered = new Set<string>()
  const open = new Map<string, Asked>()
  const readOn = async (lane: Lane) => {
    lane.offset = await scan(lane.reader, lane.offset, ({ value }) => {
      lane.lastSeq = dataOf<Readonly<{ seq: number }>>(lane.reader, 'Tick', value)?.seq ?? lane.lastSeq
      const asked = dataOf<Asked>(lane.reader, 'HoldersAsked', value)
      if (asked && !answered.has(asked.questionId)) open.set(asked.questionId, asked)
      const answer = dataOf<Asked>(lane.reader, 'HoldersAnswered', value)
      if (answer) {
        answered.add(answer.questionId)
        open.delete(answer.questionId)
      }
      return undefined
    })
  }
  return async (signal: AbortSignal, isDue: (asked: Asked) => boolean) => {
    while (!signal.aborted) {
      for (const lane of [...facts, ...derived]) await readOn(lane)
      const isDerived = facts.every(({ lastSeq }, partition) => derived[partition]?.lastSeq === lastSeq)
      if (isDerived && ![...open.values()].some(isDue)) return
      await sleep(1)
    }
  }
}

/** Writes all derived records of the day as rows. The caller closes the database. */
export async function projectDay({ log, registry }: Day, dataDir: string): Promise<Database> {
  const database = await createDatabase({ dataDir, role: 'writer' })
  const { signal } = new AbortController()
  await projectToEnd({ projections, log, registry, database, logger: silentLogger, signal })
  return database
}
