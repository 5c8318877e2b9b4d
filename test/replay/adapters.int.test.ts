/** The promise of the log across its adapters: equal facts give equal derived records, byte for byte, wherever they stand. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { readConfig } from '../../infra/config.ts'
import { type LocalKafka, startKafka } from '../../infra/development/kafka/cluster.ts'
import type { Log, NewRecord } from '../../infra/log/log.ts'
import { createMemoryLog } from '../../infra/log/memory/memory-log.ts'
import { logSettings, type OpenLog, openLog } from '../../infra/log/open-log.ts'
import { chainA } from '../../processors/stages.ts'
import type { ChainATypes } from '../../schemas/chain-a/stage.ts'
import { withoutFence } from '../proofs/crash/sabotage.ts'
import { closeAll } from '../support/close-all.ts'
import { type KeyedRecord, lastSeqOf } from './keyed-record.ts'
import { marketFacts } from './market-facts.ts'
import { reorgedMarket } from './reorged-market.ts'
import { appendFacts, derivedBytes, type OpenStage, openStage, runUntil, silentLogger } from './stage-log.ts'
import { wakeLate } from './wake-late.ts'

const nowMs = () => 0
const plan = (ofTicks: number, depth: number) => ({
  ofTicks,
  depth,
  shortBy: 5,
  fates: ['same', 'dropped', { laterBy: 7 }] as const,
  isRehashed: true,
})

/** A partition each: two markets, one with two reorgs, one that trades little. */
const partitions: readonly (readonly KeyedRecord<ChainATypes>[])[] = [
  marketFacts(11),
  marketFacts(12),
  reorgedMarket(13, [plan(300, 40), plan(700, 400)]),
  marketFacts(14, 1),
]

type Run = Readonly<{
  /** After which of its ticks, in parts of all, a task is stopped and begun again. */
  stops: readonly number[]
  /** In ticks; absent: no snapshot, every start folds from the first fact. */
  snapshotEvery?: number
}>

/** Facts in one append, which no record can tell, then the tasks one after the other. */
async function derive(
  log: Log,
  open: OpenStage<ChainATypes>,
  { stops, snapshotEvery }: Run,
): Promise<readonly string[][]> {
  const writer = await log.openWriter('ingest-chain-a')
  const derived: string[][] = []
  for (const [partition, records] of partitions.entries()) {
    await writer.append(
      records.map(({ key, record }): NewRecord => {
        const value = open.factCodec.encode(record.type, record.data)
        return { topic: 'chain-a-facts', partition, key, value }
      }),
    )
    let now = 0
    const pace = snapshotEvery === undefined ? {} : { snapshotEveryMs: snapshotEvery, nowMs: () => now++ }
    for (const part of [...stops, 1])
      await runUntil({ ...open, partition }, Math.floor(part * lastSeqOf(records)), { log, ...pace })
    derived.push(await derivedBytes(log, open.stage, partition))
  }
  await writer.close()
  return derived
}

describe('derived records of the same facts', () => {
  let dataDir: string
  let kafka: LocalKafka
  let expected: readonly string[][]
  let systemCount = 0
  const open: OpenLog[] = []

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-adapters-'))
    kafka = await startKafka({ withRegistry: true })
    expected = await derive(createMemoryLog({ nowMs }), await openStage(chainA), { stops: [] })
  })
  after(async () => {
    const removeData = () => rm(dataDir, { recursive: true, force: true })
    await closeAll(...open.map(({ close }) => close), kafka?.stop, removeData)
  })

  /** As the configuration opens it: its own log and its own registry. */
  const opened = async (environment: Record<string, string>): Promise<OpenLog> => {
    const config = readConfig({ DATA_DIR: join(dataDir, String(systemCount++)), ...environment })
    const its = await openLog(logSettings(config, { nowMs, logger: silentLogger }))
    open.push(its)
    return its
  }
  const derivedOn = async (environment: Record<string, string>, run: Run) => {
    const { log, registry } = await opened(environment)
    return derive(log, await openStage(chainA, registry), run)
  }
  const kafkaSystem = () => ({
    KAFKA_BROKERS: kafka.brokers,
    SCHEMA_REGISTRY_URL: kafka.registryUrl ?? '',
    // Schemas have one id in a registry, so a second system on the cluster has those of the first.
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
      expect(await onKafka(run)).to.deep.equal(expected)
    })
  }

  describe('of a task that wakes after a later one did its work', () => {
    const partition = 2
    const records = partitions[partition] ?? []

    /** The log and the registry of two workers, each with its own. */
    const woken = async (environment: Record<string, string>, seenBy: (logs: readonly [Log, Log]) => [Log, Log]) => {
      const [first, later] = [await opened(environment), await opened(environment)]
      const stage = await openStage(chainA, first.registry)
      await appendFacts({ ...stage, log: first.log, partition }, records)
      const logs = seenBy([first.log, later.log])
      const failure = await wakeLate({ open: stage, partition, lastSeq: lastSeqOf(records), logs })
      return { failure, derived: await derivedBytes(first.log, chainA.stage, partition) }
    }

    it('are written once on Kafka, and the late task is refused', async () => {
      const { failure, derived } = await woken(kafkaSystem(), ([first, later]) => [first, later])
      expect(failure).to.equal('writer_fenced')
      expect(derived).to.deep.equal(expected[partition])
    })

    it('would be written twice on Kafka if its writer were not fenced', async () => {
      const { failure, derived } = await woken(kafkaSystem(), ([first, later]) => [
        withoutFence(first, 'first'),
        withoutFence(later, 'later'),
      ])
      expect(failure).to.equal(null)
      expect(derived).not.to.deep.equal(expected[partition])
      expect(derived.length).to.be.greaterThan(expected[partition]?.length ?? 0)
    })
  })

  it('are many', () => {
    const count = expected.flat().length
    expect(count).to.be.greaterThan(2000)
    for (const derived of expected) expect(derived.length).to.be.greaterThan(100)
  })
})
