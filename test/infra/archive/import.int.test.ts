/** Imports files of both chains and the chats into a log on Kafka and an embedded one, and goes on from there. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { exportDay } from '../../../infra/archive/export-day.ts'
import { importArchive } from '../../../infra/archive/import-archive.ts'
import { manifestsIn } from '../../../infra/archive/verify.ts'
import { prepareSchemas } from '../../../infra/codec/prepare-schemas.ts'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { type LocalKafka, startKafka } from '../../../infra/development/kafka/cluster.ts'
import { createKafkaLog } from '../../../infra/log/kafka/kafka-log.ts'
import type { Log } from '../../../infra/log/log.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { openLog } from '../../../infra/log/open-log.ts'
import type { ReplayEnd } from '../../../infra/replay/read-replay.ts'
import { replay } from '../../../infra/replay/replay.ts'
import { replayedStages } from '../../../infra/replay/replayed-topics.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import { createChainPublisher } from '../../../ingest/publish.ts'
import type { ChainTypes, FactRange } from '../../../ingest/source.ts'
import { topics } from '../../../schemas/topics.ts'
import { dayMs, hourMs, minuteMs } from '../../../schemas/units.ts'
import { type BenchMarket, benchMarkets } from '../../bench/bench-markets.ts'
import { openStage, runUntil, silentLogger } from '../../replay/stage-log.ts'
import { startProgram } from '../../support/programs.ts'
import { contentOf, exportAll, type FilledLog, fillLog, firstDay, laterMs, never, stages } from './filled-log.ts'

const chainStages = replayedStages({ CHAIN_A_REORG_BLOCKS_MAX: 1200 })

/** The clock of a log that gets imported records. */
function createTarget() {
  let publishedAtMs = 0
  const atPublished = (atMs: number) => {
    publishedAtMs = atMs
  }
  return { nowMs: () => publishedAtMs, atPublished }
}

describe('files of both chains and the chats, over reorgs', () => {
  let root: string
  let folder: string
  let filled: FilledLog
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'launch-data-imported-'))
    folder = join(root, 'archive')
    filled = await fillLog()
    await exportAll(filled, folder)
  })
  after(() => rm(root, { recursive: true, force: true }))

  describe('on Kafka', () => {
    let kafka: LocalKafka
    let log: Log
    const { nowMs, atPublished } = createTarget()
    before(async () => {
      kafka = await startKafka()
      log = await createKafkaLog({ brokers: kafka.brokers.split(','), nowMs, logger: silentLogger })
    })
    after(async () => {
      await log?.close()
      await kafka?.stop()
    })

    it('are equal to the byte, are exported again with equal rows, and replay with the same hash', async () => {
      const registry = createMemoryRegistry()
      // So the schemas have the ids of the first log.
      await prepareSchemas(registry, topics)
      await importArchive({ folder, target: { log, registry, atPublished }, signal: never })
      expect(await contentOf(log)).to.deep.equal(await contentOf(filled.log))
      await exportAll({ log, registry }, join(root, 'again'))
      const [before, again] = await Promise.all([manifestsIn(folder), manifestsIn(join(root, 'again'))])
      const rowsOf = ({ manifests }: typeof before) =>
        manifests.flatMap(({ files }) => files.map(({ path, rows }) => `${path} ${rows}`))
      expect(rowsOf(again)).to.deep.equal(rowsOf(before))
      const range = { from: firstDay.from + hourMs, to: firstDay.to }
      const ends: ReplayEnd[] = []
      for (const open of [filled, { log, registry }])
        for await (const _ of replay({
          ...{ ...range, onEnd: (end) => void ends.push(end) },
          log: { open: { ...open, holdFrom: () => {} }, stages: chainStages },
        }));
      expect(ends[0]?.records).to.be.greaterThan(1000)
      expect(ends[1]).to.deep.equal(ends[0])
    })
  })
})

type Ranges = readonly FactRange<ChainTypes>[]

/** A simulated chain whose ranges of blocks can be appended to several logs. */
async function simulate(market: BenchMarket) {
  const toMs = firstDay.from + 12 * hourMs
  const chain = market.simulate({ fromMs: toMs - marketMs, toMs })
  let clockMs = toMs
  const openIngest = async ({ log, registry }: FilledLog) => {
    const codecs = await createIngestCodecs(chain.stage, registry)
    return createChainPublisher({ log, codecs, chain, kind: 'simulated', nowMs: () => clockMs })
  }
  const scratch = await openIngest({ log: createMemoryLog({ nowMs: () => toMs }), registry: createMemoryRegistry() })
  const ranges: FactRange<ChainTypes>[] = []
  for await (const range of chain.source.ranges(null, scratch.known, never)) ranges.push(range)
  return {
    ranges,
    /** Appends the ranges and runs the stage on them. Returns the last tick. */
    async run(open: FilledLog, part: Ranges) {
      const ingest = await openIngest(open)
      for (const range of part) {
        clockMs = range.head.atMs + 1000
        await ingest.publish(range, { usd: market.coinUsd, atMs: clockMs })
      }
      const cursor = ingest.cursor()
      await ingest.close()
      const stage = await openStage(market.runnable, open.registry)
      for (let partition = 0; partition < chain.stage.factTopic.partitionCount; partition++)
        await runUntil({ ...stage, partition }, cursor?.seq ?? 0, { log: open.log })
      return cursor
    },
  }
}

const marketMs = hourMs / 2
const halves = (ranges: Ranges): readonly [Ranges, Ranges] => {
  const half = Math.floor(ranges.length / 2)
  return [ranges.slice(0, half), ranges.slice(half)]
}

describe('an imported log', () => {
  let root: string
  let folder: string
  let dataDir: string
  let chains: readonly Awaited<ReturnType<typeof simulate>>[]
  const original: FilledLog = { log: createMemoryLog({ nowMs: () => firstDay.from }), registry: createMemoryRegistry() }
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'launch-data-goes-on-'))
    folder = join(root, 'archive')
    dataDir = join(root, 'data')
    chains = await Promise.all(Object.values(benchMarkets).map(simulate))
    for (const { run, ranges } of chains) await run(original, halves(ranges)[0])
    const exporting = { open: original, stages, folder, form: 'archive', day: firstDay, signal: never } as const
    await exportDay({ ...exporting, nowMs: () => laterMs })
    const { nowMs, atPublished } = createTarget()
    const imported = await openLog({ dataDir, nowMs })
    await importArchive({ folder, target: { ...imported, atPublished }, signal: never })
    await imported.close()
  })
  after(() => rm(root, { recursive: true, force: true }))

  it('gives other rules the same comparison as the files', async () => {
    const rules = join(root, 'rules.json')
    const [chainA, chainB] = [{ bursts: { main: { buysMin: 8 } } }, { bursts: { inflowLamportsMin: 10_000_000_000 } }]
    await writeFile(rules, JSON.stringify({ chainA, chainB }))
    const toMs = Math.min(...chains.map(({ ranges }) => halves(ranges)[0].at(-1)?.head.atMs ?? 0))
    const compare = async (options: string) => {
      const range = `--from ${toMs - 10 * minuteMs} --to ${toMs}`
      const program = startProgram(`replay ${range} --rules ${rules} --json${options}`, { DATA_DIR: dataDir })
      expect((await program.done).code, program.stderr()).to.equal(0)
      return JSON.parse(program.stdout()).stages
    }
    const fromFiles = await compare(` --files ${folder}`)
    expect(fromFiles).to.deep.equal(await compare(''))
    expect(fromFiles.map(({ stage }: { stage: string }) => stage)).to.deep.equal(['chain-a', 'chain-b'])
    for (const { control, stage } of fromFiles) {
      expect(control.recorded, stage).to.be.greaterThan(0)
      expect(control.same, stage).to.equal(control.recorded).and.to.equal(control.again)
    }
  })

  it('goes on with ingest and stages as the log from which the files were exported', async () => {
    const imported = await openLog({ dataDir, nowMs: () => firstDay.from + dayMs })
    try {
      for (const { run, ranges } of chains) {
        const last = await run(original, halves(ranges)[1])
        expect(await run(imported, halves(ranges)[1])).to.deep.equal(last)
      }
      const withoutIds = async ({ log }: FilledLog) =>
        Object.entries(await contentOf(log)).map(([id, records]) => [
          id,
          records.map((record) => record.replace(/^\d+ /, '').replace(/ 00[0-9a-f]{8}/, ' ')),
        ])
      const found = await withoutIds(imported)
      expect(found).to.deep.equal(await withoutIds(original))
      expect(found.flatMap(([, records]) => records).length).to.be.greaterThan(10_000)
    } finally {
      await imported.close()
    }
  })
})
