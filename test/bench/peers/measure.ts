/** Runs one engine over a topic, and returns its speed, its CPU cost and any difference in its outputs. */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { type Admin, Kafka, logLevel } from 'kafkajs'
import { type EngineProcess, startEngine } from './engine-process.ts'
import type { PeerOutput } from './job.ts'
import { observe } from './observer.ts'
import { partitionCount, startAtMs, type Workload } from './workload.ts'

/**
 * `difference` is null if the outputs are the expected ones. `snapshots` counts the snapshots during the
 * measurement. `snapshots` is null if the engine takes none.
 */
export type Throughput = Readonly<{
  perSecond: number
  cpuSecondsPerMillion: number
  difference: string | null
  snapshots: Readonly<{ taken: number; seconds: number }> | null
}>

export type Latency = Readonly<{ name: string; p50Ms: number; p99Ms: number; count: number; difference: string | null }>

export type Topic = Readonly<{ brokers: string; topic: string }>

type Job = Topic & Readonly<{ records: number; expected: readonly PeerOutput[] }>

/**
 * The measurement waits this long after the last expected output, in case wrong or repeated outputs follow.
 * In milliseconds.
 */
const quietMs = 2500
const runMsMax = 900_000

/**
 * Measures from the engine's first record until this process reads the last expected output. The start of the
 * engine is not measured.
 */
export async function runOurs(
  { brokers, topic, records, expected }: Job,
  engineName: 'ours' | 'ours-one' | 'ours-without' = 'ours',
): Promise<Throughput> {
  const id = nextId(engineName)
  const topicOut = `${id}-out`
  await createTopic(brokers, topicOut)
  const observer = await observe({ brokers, topic: topicOut, expected })
  const engine = startEngine(engineName, brokers, topic, topicOut, id)
  try {
    const [, firstAtMs] = await engine.line('FIRST')
    const cpuBefore = engine.cpuSeconds()
    const endAtMs = await Promise.race([observer.complete, engine.ended.then(() => Number.NaN), never(runMsMax)])
    const cpuSeconds = Number.isNaN(endAtMs) ? Number.NaN : engine.cpuSeconds() - cpuBefore
    const seconds = (endAtMs - Number(firstAtMs)) / 1000
    const snapshots = snapshotsOf(engine, seconds)
    if (!Number.isNaN(endAtMs)) await delay(quietMs)
    return { ...rates(records, seconds, cpuSeconds), snapshots, difference: observer.difference() }
  } finally {
    await engine.stop()
    await observer.close()
    await deleteTopics(brokers, [topicOut])
  }
}

/**
 * Measures what it costs plain kafkajs to read and decode the same records. Also returns the number of
 * records.
 */
export const runPlain = ({ brokers, topic }: Topic): Promise<Counted> =>
  runCounted('plain', [brokers, topic, '', nextId('plain')])

/**
 * Runs the service's own stage, or a plain consumer of the same facts. The names of the topics begin with
 * `prefix`. The schemas are in the folder `dataDir`.
 */
export const runProduct = (
  engineName: 'product' | 'product-without' | 'product-plain',
  { brokers, prefix, dataDir }: Readonly<{ brokers: string; prefix: string; dataDir: string }>,
): Promise<Counted> => runCounted(engineName, [brokers, prefix, dataDir, nextId(engineName)])

type Counted = Throughput & Readonly<{ records: number }>

/** Runs an engine that reports its own end and its number of records. */
async function runCounted(engineName: string, words: readonly string[]): Promise<Counted> {
  const engine = startEngine(engineName, ...words)
  try {
    const [, firstAtMs] = await engine.line('FIRST')
    const cpuBefore = engine.cpuSeconds()
    const [, doneAtMs, count] = await engine.line('DONE')
    const seconds = (Number(doneAtMs) - Number(firstAtMs)) / 1000
    const records = Number(count)
    const cpuSeconds = engine.cpuSeconds() - cpuBefore
    return {
      records,
      ...rates(records, seconds, cpuSeconds),
      snapshots: snapshotsOf(engine, seconds),
      difference: null,
    }
  } finally {
    await engine.stop()
  }
}

function snapshotsOf(engine: EngineProcess, seconds: number): Throughput['snapshots'] {
  const [, taken] = engine.newest('SNAPSHOTS') ?? []
  return taken === undefined ? null : { taken: Number(taken), seconds }
}

const rates = (records: number, seconds: number, cpuSeconds: number) => ({
  perSecond: records / seconds,
  cpuSecondsPerMillion: (cpuSeconds / records) * 1e6,
})

/** The outputs of the first 15 s are left out, because an engine is slow after its start. */
const warmUpMs = 15_000
const tickMs = 100

type Paced = Readonly<{ brokers: string; workload: Workload; expected: readonly PeerOutput[] | null }>

/**
 * Measures an engine while a writer publishes at the pace of the workload. `ofSwap` is the time from the due
 * time of a swap until its output is read here. `ofTick` starts at the due time of the tick that closes the
 * swap. No output can be final before that tick.
 */
export async function measureLatency(
  engineName: 'ours' | 'echo',
  { brokers, workload, expected }: Paced,
): Promise<Readonly<{ ofSwap: Latency; ofTick: Latency }>> {
  const id = nextId(engineName)
  const [topicIn, topicOut] = [`${id}-in`, `${id}-out`]
  for (const topic of [topicIn, topicOut]) await createTopic(brokers, topic)
  const observer = await observe({ brokers, topic: topicOut, expected })
  const engine = startEngine(engineName, brokers, topicIn, topicOut, id)
  await delay(5000)
  const pacer = startEngine('pacer', brokers, topicIn, topicOut, JSON.stringify(workload))
  try {
    const [, baseMs] = await pacer.line('BASE')
    await pacer.ended
    await delay(quietMs)
    const seen = observer.seen().filter(({ at }) => at - startAtMs > warmUpMs)
    const offsetMs = Number(baseMs) - startAtMs
    const difference = expected === null ? null : observer.difference()
    const quantiles = (name: string, sinceOf: (at: number) => number): Latency => {
      const delays = seen.map(({ at, seenAtMs }) => seenAtMs - offsetMs - sinceOf(at)).sort((a, b) => a - b)
      const quantile = (share: number) => delays[Math.floor(delays.length * share)] ?? Number.NaN
      return { name, p50Ms: quantile(0.5), p99Ms: quantile(0.99), count: delays.length, difference }
    }
    return {
      ofSwap: quantiles(`${engineName}, from the swap`, (at) => at),
      ofTick: quantiles(`${engineName}, from its tick`, (at) => (Math.floor(at / tickMs) + 1) * tickMs),
    }
  } finally {
    await pacer.stop()
    await engine.stop()
    await observer.close()
    await deleteTopics(brokers, [topicIn, topicOut])
  }
}

let idCount = 0
const nextId = (engine: string): string => `bench-${engine}-${Date.now().toString(36)}-${++idCount}`

const never = (ms: number): Promise<number> => new Promise((resolve) => setTimeout(resolve, ms, Number.NaN).unref())

const withAdmin = async (brokers: string, work: (admin: ReturnType<Kafka['admin']>) => Promise<unknown>) => {
  const admin = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.ERROR }).admin()
  await admin.connect()
  try {
    await work(admin)
  } finally {
    await admin.disconnect()
  }
}

/** Creates a topic, and waits until its partitions have leaders. */
export const createTopic = (brokers: string, topic: string): Promise<void> =>
  withAdmin(brokers, async (admin) => {
    await admin.createTopics({
      topics: [{ topic, numPartitions: partitionCount, configEntries: [{ name: 'retention.ms', value: '-1' }] }],
      // kafkajs waits too, but fails if the broker does not know the new topic yet.
      waitForLeaders: false,
    })
    for (const endAtMs = Date.now() + leadersMsMax; Date.now() < endAtMs; await delay(100))
      if (await hasLeaders(admin, topic)) return
    assert.fail(`the partitions of ${topic} have no leaders`)
  })

const leadersMsMax = 10_000

async function hasLeaders(admin: Admin, topic: string): Promise<boolean> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] }).catch(() => ({ topics: [] }))
  const partitions = topics[0]?.partitions ?? []
  return partitions.length === partitionCount && partitions.every(({ leader }) => leader >= 0)
}

const deleteTopics = (brokers: string, topics: string[]): Promise<void> =>
  withAdmin(brokers, (admin) => admin.deleteTopics({ topics }))
