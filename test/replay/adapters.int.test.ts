/** Tests that equal facts give equal derived records on every log adapter, byte for byte. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { SchemaCodec, SchemaRegistry } from '../../infra/codec/schema-codec.ts'
import { readConfig } from '../../infra/config.ts'
import { type LocalKafka, startKafka } from '../../infra/development/kafka/cluster.ts'
import type { Log, NewRecord } from '../../infra/log/log.ts'
import { createMemoryLog } from '../../infra/log/memory/memory-log.ts'
import { logSettings, type OpenLog, openLog } from '../../infra/log/open-log.ts'
import type { RunnableStage } from '../../processors/runtime/runnable-stage.ts'
import { chainA, chainB, chats } from '../../processors/stages.ts'
import type { StageTypes } from '../../schemas/stage.ts'
import { withoutFence } from '../proofs/crash/sabotage.ts'
import { curveMarket, reorgedCurveMarket } from '../support/chain-b/market.ts'
import { closeAll } from '../support/close-all.ts'
import { type KeyedRecord, lastSeqOf } from './keyed-record.ts'
import { chatFacts } from './market/chat-facts.ts'
import { marketFacts } from './market/market-facts.ts'
import { reorgedMarket } from './reorgs/reorged-market.ts'
import { appendFacts, derivedBytes, type OpenStage, openStage, readAll, runUntil, silentLogger } from './stage-log.ts'
import { ticksPerRead, wakeLate } from './wake-late.ts'

const nowMs = () => 0
const plan = (ofTicks: number, depth: number) => ({
  ofTicks,
  depth,
  shortBy: 5,
  fates: ['same', 'dropped', { laterBy: 7 }] as const,
  isRehashed: true,
})

type Run = Readonly<{
  /** The points at which the task stops and starts again, as shares of its ticks. */
  stops: readonly number[]
  /**
   * The number of ticks between snapshots. If this is absent, there are no snapshots and every start computes
   * from the first fact.
   */
  snapshotEvery?: number
}>

/**
 * The keys and values of the derived records, by partition. In `bodies`, each value has the name of its
 * schema instead of the schema's id.
 */
type Derived = Readonly<{ bytes: readonly string[][]; bodies: readonly string[][] }>

type Woken = Readonly<{ logs: readonly [Log, Log]; registry: SchemaRegistry }>

/** A stage with the facts of each of its partitions. */
type Subject = Readonly<{
  name: string
  /**
   * Takes one partition after the other: appends all its facts in one append and runs its task. Derived
   * records do not depend on how facts are split into appends.
   */
  derive(log: Log, registry: SchemaRegistry | undefined, run: Run): Promise<Derived>
  /** The partition that `wakeLate` uses. On both chains this partition contains reorgs. */
  latePartition: number
  /**
   * Lets a task stop and wake after another task did its work. Returns the error code of the stopped task,
   * and the derived records of the partition.
   */
  wakeLate(woken: Woken): Promise<Readonly<{ failure: string | null; bodies: string[] }>>
}>

/** A zero byte and the id of the schema. */
const headBytes = 5

function createSubject<Types extends StageTypes>(
  runnable: RunnableStage<Types>,
  partitions: readonly (readonly KeyedRecord<Types>[])[],
): Subject {
  const { stage } = runnable
  const factTopic = stage.factTopic.name
  const latePartition = Math.min(2, partitions.length - 1)
  const bodiesOf = async (log: Log, { derivedCodec }: OpenStage<Types>, partition: number): Promise<string[]> => {
    const stored = await readAll(log, stage.derivedTopic.name, partition)
    return stored.map(({ key, value }) => {
      assert(value)
      return `${key} ${derivedCodec.typeOf(value)} ${value.toString('hex', headBytes)}`
    })
  }
  return {
    name: stage.name,
    async derive(log, registry, { stops, snapshotEvery }) {
      const open = await openStage(runnable, registry)
      const factCodec: SchemaCodec = open.factCodec
      const writer = await log.openWriter(`ingest-${stage.name}`)
      const derived = { bytes: [] as string[][], bodies: [] as string[][] }
      for (const [partition, records] of partitions.entries()) {
        await writer.append(
          records.map(({ key, record }): NewRecord => {
            const value = factCodec.encode(record.type, record.data)
            return { topic: factTopic, partition, key, value }
          }),
        )
        let now = 0
        const pace = snapshotEvery === undefined ? {} : { snapshotEveryMs: snapshotEvery, nowMs: () => now++ }
        for (const part of [...stops, 1])
          await runUntil({ ...open, partition }, Math.floor(part * lastSeqOf(records)), { log, ...pace })
        derived.bytes.push(await derivedBytes(log, stage, partition))
        derived.bodies.push(await bodiesOf(log, open, partition))
      }
      await writer.close()
      return derived
    },
    latePartition,
    async wakeLate({ logs, registry }) {
      const partition = latePartition
      const records = partitions[partition] ?? []
      const open = await openStage(runnable, registry)
      // Each append is a transaction of Kafka, so one for each tick would take most of the time of the test.
      const ticksPerAppend = ticksPerRead
      await appendFacts({ ...open, log: logs[0], partition }, records, ticksPerAppend)
      const failure = await wakeLate({ open, partition, lastSeq: lastSeqOf(records), logs, ticksPerAppend })
      return { failure, bodies: await bodiesOf(logs[0], open, partition) }
    },
  }
}

/**
 * One list of facts per partition. Each chain has two partitions of ordinary trades, one with two reorgs and
 * one with few trades. The chats have one partition and no reorgs.
 */
const subjects: readonly Subject[] = [
  createSubject(chainA, [
    marketFacts(11, 3, { hasPosts: true }),
    marketFacts(12),
    reorgedMarket(13, [plan(300, 40), plan(700, 400)]),
    marketFacts(14, 1),
  ]),
  createSubject(chainB, [
    curveMarket(11, 10, { hasPosts: true }),
    curveMarket(12),
    reorgedCurveMarket(13, [plan(300, 40), plan(700, 400)]),
    curveMarket(14, 1),
  ]),
  createSubject(chats, [chatFacts(11)]),
]

/**
 * Returns the derived records of each stage, by the name of the stage. All stages share one log, as in the
 * service.
 */
async function derive(log: Log, registry: SchemaRegistry | undefined, run: Run): Promise<Record<string, Derived>> {
  const derived: Record<string, Derived> = {}
  for (const subject of subjects) derived[subject.name] = await subject.derive(log, registry, run)
  return derived
}

describe('derived records of the same facts', () => {
  let dataDir: string
  let kafka: LocalKafka
  let expected: Record<string, Derived>
  let systemCount = 0
  const open: OpenLog[] = []

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-adapters-'))
    kafka = await startKafka({ withRegistry: true })
    expected = await derive(createMemoryLog({ nowMs }), undefined, { stops: [] })
  })
  after(async () => {
    const removeData = () => rm(dataDir, { recursive: true, force: true })
    await closeAll(...open.map(({ close }) => close), kafka?.stop, removeData)
  })

  /** Opens a log and a registry from a configuration. */
  const opened = async (environment: Record<string, string>): Promise<OpenLog> => {
    const config = readConfig({ DATA_DIR: join(dataDir, String(systemCount++)), ...environment })
    const its = await openLog(logSettings(config, { nowMs, logger: silentLogger }))
    open.push(its)
    return its
  }
  const derivedOn = async (environment: Record<string, string>, run: Run) => {
    const { log, registry } = await opened(environment)
    return derive(log, registry, run)
  }
  const kafkaSystem = () => ({
    KAFKA_BROKERS: kafka.brokers,
    SCHEMA_REGISTRY_URL: kafka.registryUrl ?? '',
    // Each test run has its own topics. A registry has one id per schema, so a second run on the cluster gets
    // the schema ids of the first run.
    KAFKA_TOPIC_PREFIX: `system-${systemCount}-`,
  })
  const onKafka = (run: Run) => derivedOn(kafkaSystem(), run)

  const runs: readonly (readonly [string, Run])[] = [
    ['run through', { stops: [] }],
    ['begun again from the first fact', { stops: [0.3, 0.6] }],
    ['begun again from snapshots', { stops: [0.3, 0.6], snapshotEvery: 50 }],
  ]
  for (const [how, run] of runs) {
    it(`are equal to the byte on the embedded log, ${how}`, async () => {
      expect(await derivedOn({}, run)).to.deep.equal(expected)
    })

    it(`are equal to the byte on Kafka, ${how}`, async () => {
      const derived = await onKafka(run)
      for (const { name } of subjects) expect(derived[name]?.bodies, name).to.deep.equal(expected[name]?.bodies)
      // Some registries use up an id even for a schema that they know. Then the chains after chain A get
      // other schema ids, so only the bytes of chain A are equal.
      expect(derived['chain-a']?.bytes).to.deep.equal(expected['chain-a']?.bytes)
    })
  }

  describe('of a task that wakes after a later one did its work', () => {
    /** Runs `wakeLate` for each chain. Both workers open their own log and registry. */
    const woken = async (environment: Record<string, string>, seenBy: (logs: readonly [Log, Log]) => [Log, Log]) => {
      const [first, later] = [await opened(environment), await opened(environment)]
      const logs = seenBy([first.log, later.log])
      const found: (Awaited<ReturnType<Subject['wakeLate']>> & Readonly<{ expected: string[] }>)[] = []
      for (const { name, latePartition, wakeLate } of subjects) {
        const its = await wakeLate({ logs, registry: first.registry })
        found.push({ ...its, expected: expected[name]?.bodies[latePartition] ?? [] })
      }
      return found
    }

    it('are written once on Kafka, and the late task is refused', async () => {
      for (const its of await woken(kafkaSystem(), ([first, later]) => [first, later])) {
        expect(its.failure).to.equal('writer_fenced')
        expect(its.bodies).to.deep.equal(its.expected)
      }
    })

    it('would be written twice on Kafka if its writer were not fenced', async () => {
      const unfenced = await woken(kafkaSystem(), ([first, later]) => [
        withoutFence(first, 'first'),
        withoutFence(later, 'later'),
      ])
      for (const its of unfenced) {
        expect(its.failure).to.equal(null)
        expect(its.bodies).not.to.deep.equal(its.expected)
        expect(its.bodies.length).to.be.greaterThan(its.expected.length)
      }
    })
  })

  it('are many', () => {
    for (const { bytes } of Object.values(expected)) {
      expect(bytes.flat().length).to.be.greaterThan(2000)
      for (const records of bytes) expect(records.length).to.be.greaterThan(100)
    }
  })
})
