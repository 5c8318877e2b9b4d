/**
 * Adds a second chain to chain A as described in `infra/docs/add-a-chain.md`. The tests ingest and process
 * the data of the second chain, sell answers about it, make a reorg and rebuild the tables. The tests depend
 * on their order.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { createSchemaCodec } from '../../infra/codec/schema-codec.ts'
import { readConfig } from '../../infra/config.ts'
import { partitionOf } from '../../infra/log/partition-of.ts'
import { runTogether } from '../../infra/run-together.ts'
import { createIngestCodecs } from '../../ingest/codecs.ts'
import { runIngest } from '../../ingest/run-ingest.ts'
import { runProcessProgram } from '../../processors/main.ts'
import { runStage } from '../../processors/runtime/run-stage.ts'
import { createStageCodecs } from '../../processors/runtime/stage-codecs.ts'
import { chainA } from '../../processors/stages.ts'
import { chainAProjection } from '../../projections/chain-a/projection.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import { type Topic, topics } from '../../schemas/topics.ts'
import { readRecords } from '../ingest/read-records.ts'
import { differences } from '../proofs/crash/contents.ts'
import { steppedDelay } from '../proofs/crash/derive-span.ts'
import { readAll, silentLogger } from '../replay/stage-log.ts'
import { closeAll } from '../support/close-all.ts'
import { createSecondChain } from './chain/api.ts'
import { openSecondChain } from './chain/ingest.ts'
import { second } from './chain/processor.ts'
import { createSecondQueries, secondProjection } from './chain/projection.ts'
import { bothTopics, secondStage } from './chain/schemas.ts'
import { chainAContents } from './chain-a-contents.ts'
import { createScriptedNode, type Happening, type ScriptedNode, slotAt } from './scripted-node.ts'
import { minute, openService, type Service, startMs } from './service.ts'
import { type Answer, openShop, type Shop } from './shop.ts'

/**
 * The addresses `moon` and `twin` differ only in the case of one letter. The topics of the chain have two
 * partitions, and each partition gets some of these mints.
 */
const moon = 'MoonCatPumpk7wBXg3vYqR5tZ2nHs8eDfJbpump'
const twin = 'moonCatPumpk7wBXg3vYqR5tZ2nHs8eDfJbpump'
const dead = 'DeadCatPumpk7wBXg3vYqR5tZ2nHs8eDfJapump'
const wave = 'WaveCatPumpk7wBXg3vYqR5tZ2nHs8eDfJcpump'
const creator = 'Maker9yXvQ4sTz8KpW2nRbH5cJdLfG7uEaPmBxVtZ'
const buyers = ['Ann', 'Bob', 'Cyd'].map((name) => `${name}Wxk7wBXg3vYqR5tZ2nHs8eDfJpQmTrUaEc9Hz`)

/**
 * The tables that must stay empty. `desk_shadows` gets a row one hour after a signal, and no such hour ends
 * within the test. The other tables need chat posts, and the test has none.
 */
const emptyTables = ['calls', 'call_scores', 'precalls', 'precall_buyers', 'scanner_grades', 'desk_shadows']

const mintedAt = (mint: string, atMinute: number): Happening => ({
  type: 'Minted',
  mint,
  creator,
  atMs: minute(atMinute),
})
/** The buyer at index `buyer` pays `sol` SOL. */
const boughtAt = (mint: string, atMinute: number, [buyer, sol]: readonly [number, number]): Happening => ({
  ...{ type: 'Bought', mint, buyer: buyers[buyer] ?? '', lamports: BigInt(sol * 1e9), atMs: minute(atMinute) },
})

const firstHalf: readonly Happening[] = [
  ...[moon, twin, wave].map((mint) => mintedAt(mint, 2)),
  ...[moon, wave].flatMap((mint) => [boughtAt(mint, 3, [0, 1]), boughtAt(mint, 4, [1, 2])]),
  ...[boughtAt(twin, 5, [0, 1]), boughtAt(twin, 6, [1, 1]), boughtAt(twin, 7, [2, 1.5])],
]
/** A buy of a mint that nobody created. It must not become a fact. */
const unknown = [boughtAt('Nobodyk7wBXg3vYqR5tZ2nHs8eDfJbpump', 8, [0, 1])]
const branchAtMinute = 15.5
const oldBranch: readonly Happening[] = [
  ...[mintedAt(dead, 16), boughtAt(dead, 16.5, [0, 1]), boughtAt(dead, 17, [1, 1]), boughtAt(dead, 17.5, [2, 1])],
  ...[boughtAt(moon, 16, [2, 3]), boughtAt(wave, 18, [2, 5])],
]
const newBranch: readonly Happening[] = [boughtAt(moon, 17, [2, 3]), boughtAt(wave, 18, [2, 7])]

const rushOf = (mint: string): string => `/v1/second/rushes/${mint}`
const burstsPath = '/v1/rh/bursts/live?minutes=240&tier=all'
const snapshotPath = '/v1/snapshot?minutes=240'
const projections = [chainAProjection, secondProjection]
const { factTopic, derivedTopic } = secondStage

describe('a second chain beside chain A', function () {
  this.timeout(120_000)

  let dataDir: string
  let service: Service
  let shop: Shop
  let node: ScriptedNode
  const stop = new AbortController()
  let running: Promise<void> = Promise.resolve()

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'second-chain-'))
    service = await openService({
      ...{ dataDir, name: 'both', topicTable: bothTopics, projections },
      createOthers: (database) => [createSecondChain(createSecondQueries(database))],
    })
    shop = await openShop(service)
    node = createScriptedNode(service.clock)
    node.happen([...firstHalf, ...unknown, ...oldBranch])
  })
  after(async () => {
    stop.abort()
    await closeAll(
      () => running,
      shop?.close,
      service?.close,
      () => rm(dataDir, { recursive: true, force: true }),
    )
  })

  /** Starts ingest and both partitions of the stage. */
  const startSecond = async () => {
    const { log, registry, clock } = service
    const chain = openSecondChain({ node, startSlot: slotAt(startMs), pollMs: 5 })
    const shared = { log, nowMs: () => clock.atMs, logger: silentLogger }
    const codecs = await createIngestCodecs(secondStage, registry, bothTopics.addresses)
    const stage = { ...second, ...(await createStageCodecs(second, registry)), ...shared, snapshotEveryMs: 0 }
    running = runTogether(
      [runIngest({ ...shared, chain, codecs, delay: steppedDelay, signal: stop.signal }), runStage(stage, stop.signal)],
      stop,
    )
    running.catch(() => {})
  }
  /** Waits until both partitions of the stage have processed the node's newest slot. */
  const secondDerived = async () => {
    for (;;) {
      const told = await service.lastTick(factTopic, 0)
      const derived = await Promise.all([0, 1].map((partition) => service.lastTick(derivedTopic, partition)))
      if (told?.blockHash === node.newest().hash && derived.every((tick) => tick?.seq === told.seq)) return
      await Promise.race([running, sleep(5)])
    }
  }
  /**
   * Moves the clock for the second chain only. The second move of 1 s adds a later tick, so that every later
   * cut contains the tick of the first move.
   */
  const goOnAlone = async (seconds: number) => {
    for (const durationMs of [seconds * 1000, 1000]) {
      service.clock.atMs += durationMs
      await secondDerived()
    }
    await service.projected(secondStage)
  }
  const goOnTogether = async (toMinute: number) => {
    await service.goOn(toMinute, secondDerived)
    await goOnAlone(1)
  }
  const recordsOf = async (topic: Topic) =>
    (await readRecords(service.log, topic, await createSchemaCodec(topic, service.registry))).flatMap(
      ({ record, ...place }) => (record === null || record.type === 'Tick' ? [] : [{ ...place, ...record }]),
    )
  const rushIn = ({ text }: Answer) => JSON.parse(text).rush
  const cutOf = async (...stages: Parameters<Service['cuts']['newest']>[0]) =>
    (await service.cuts.newest(stages))?.atMs ?? 0

  it('is fewer than 450 lines', async () => {
    const folder = new URL('./chain/', import.meta.url)
    const files = (await readdir(folder, { recursive: true })).filter((name) => /\.(ts|sql)$/.test(name))
    const texts = await Promise.all(files.map((name) => readFile(new URL(name, folder), 'utf8')))
    expect(texts).to.have.length(6)
    expect(texts.join('').split('\n').length).to.be.lessThan(450)
  })

  describe('before its first data', () => {
    before(() => service.goOn(10))

    it('holds up its own route and the snapshot, and nothing of chain A', async () => {
      expect(await shop.codeOf(rushOf(moon))).to.equal('warming_up')
      expect(await shop.codeOf(snapshotPath)).to.equal('warming_up')
      expect((await shop.buy(burstsPath)).status).to.equal(200)
    })
  })

  describe('once it is ingested', () => {
    before(async () => {
      await startSecond()
      await secondDerived()
      await goOnTogether(20)
    })

    it('has its facts on two partitions, each on that of its mint', async () => {
      const facts = await recordsOf(factTopic)
      expect(new Set(facts.map(({ partition }) => partition))).to.deep.equal(new Set([0, 1]))
      for (const { key, partition } of facts) expect(partition).to.equal(partitionOf(key, 2))
      expect(new Set(facts.map(({ key }) => key))).to.deep.equal(new Set([moon, twin, wave, dead]))
      expect(facts).to.have.length(firstHalf.length + oldBranch.length)
    })

    it('has ticks of its own, without a price', async () => {
      const tick = await service.lastTick(factTopic, 1)
      expect(tick).to.include({ ethUsd: null, ethUsdAtMs: null, rulesVersion: 'second 1', source: 'recorded' })
      expect(tick?.blockNumber).to.equal(slotAt(service.clock.atMs))
      expect(await service.lastTick(chainAStage.factTopic, 1)).to.include({ ethUsd: 3000, source: 'simulated' })
    })

    it('is processed on both partitions', async () => {
      const rushes = (await recordsOf(derivedTopic)).map(({ partition, key, type, data }) => ({
        ...{ partition, key, type, atMs: (data as { atMs: number }).atMs },
      }))
      expect(rushes).to.have.deep.members([
        { partition: 0, key: moon, type: 'Rush', atMs: minute(16) },
        { partition: 0, key: wave, type: 'Rush', atMs: minute(18) },
        { partition: 1, key: twin, type: 'Rush', atMs: minute(7) },
        { partition: 1, key: dead, type: 'Rush', atMs: minute(17.5) },
      ])
    })

    it('is sold, by addresses whose case tells them apart', async () => {
      const before = await shop.earned()
      const [ofMoon, ofTwin] = [await shop.buy(rushOf(moon)), await shop.buy(rushOf(twin))]
      const common = { creator, supersedes: null }
      expect(rushIn(ofMoon)).to.deep.equal({ ...common, mint: moon, at: minute(16), slot: slotAt(minute(16)), sol: 6 })
      expect(rushIn(ofTwin)).to.deep.equal({ ...common, mint: twin, at: minute(7), slot: slotAt(minute(7)), sol: 3.5 })
      expect((await shop.earned()) - before).to.equal(14_000n)
      expect(await shop.codeOf(rushOf(moon.toUpperCase()))).to.equal('bad_address')
      expect(await shop.codeOf(rushOf(moon.replace('C', 'c')))).to.equal('not_tracked')
    })

    it('is sold by a tool too, which appears by itself, with the same answer', async () => {
      const { listed, text } = await shop.buyWithTool({ name: 'second_rushes_mint', arguments: { mint: moon } })
      expect(listed).to.include.members(service.routes.map(({ tool }) => tool))
      expect(text).to.equal((await shop.buy(rushOf(moon))).text)
      const unknown = await shop.buyWithTool({
        name: 'second_rushes_mint',
        arguments: { mint: moon.replace('C', 'c') },
      })
      expect(JSON.parse(unknown.text)).to.include({ code: 'not_tracked' })
    })

    it('stands in the snapshot beside chain A, at one instant', async () => {
      const { second: its, chainA: ofA } = JSON.parse((await shop.buy(snapshotPath)).text)
      expect(its.rushes.map(({ mint }: { mint: string }) => mint)).to.deep.equal([wave, dead, moon, twin])
      expect(ofA.newPools).to.not.be.empty
    })

    it('has writers, snapshots, addresses and consumer groups of its own', async () => {
      const writers = new Set(service.writerIds.filter((id) => id.includes('second')))
      const names = ['stage', 'snapshots'].flatMap((kind) => [0, 1].map((partition) => `${kind}-second-${partition}`))
      expect(writers).to.deep.equal(new Set(['ingest-second', ...names]))

      const keys = (await readAll(service.log, 'addresses', 0)).map(({ key }) => key)
      const mints = [moon, twin, wave, dead].map((mint) => `second/${mint}`)
      expect(keys.filter((key) => key.startsWith('second/'))).to.have.members(mints)
      expect(keys.filter((key) => /^0x[0-9a-f]+$/.test(key))).to.have.length(keys.length - mints.length)

      const groups: string[] = []
      const open = {
        ...{ log: service.log, registry: service.registry, restartPauseMs: () => null, close: async () => {} },
        sharePartitions: async ({ groupId, topic }: { groupId: string; topic: Topic }) =>
          void groups.push(`${groupId} ${topic.name}`),
      }
      const context = { config: readConfig({}), logger: silentLogger, share: { index: 0, count: 1 }, report: () => {} }
      await runProcessProgram({ ...context, signal: stop.signal }, open, [chainA, second])
      expect(groups).to.have.members(['stage-chain-a chain-a-facts', 'stage-second second-facts'])
    })
  })

  describe('after a reorg of its own', () => {
    let sold: Answer
    let oldCutAtMs: number
    before(async () => {
      sold = await shop.buy(rushOf(moon))
      oldCutAtMs = JSON.parse(sold.text).generatedAt
      node.leaveBranch(minute(branchAtMinute), newBranch)
      await goOnAlone(1)
    })

    it('has withdrawn and restated what came out otherwise, and nothing else', async () => {
      const marks = (await recordsOf(derivedTopic)).filter(({ type }) => type !== 'Rush')
      expect(marks.map(({ key, type, data }) => ({ key, type, ...data }))).to.have.deep.members([
        { key: moon, type: 'Withdrawn', recordType: 'Rush', atMs: minute(16) },
        { key: moon, type: 'Restated', recordType: 'Rush', atMs: minute(17), supersedesAtMs: minute(16) },
        { key: wave, type: 'Restated', recordType: 'Rush', atMs: minute(18), supersedesAtMs: null },
        { key: dead, type: 'Withdrawn', recordType: 'Rush', atMs: minute(17.5) },
      ])
    })

    it('sells the row that has moved with the instant that it supersedes', async () => {
      expect(rushIn(await shop.buy(rushOf(moon)))).to.include({ at: minute(17), supersedes: minute(16), sol: 6 })
      expect(rushIn(await shop.buy(rushOf(wave)))).to.include({ at: minute(18), supersedes: null, sol: 10 })
      expect(JSON.parse((await shop.buy(rushOf(dead))).text)).to.include({ code: 'not_tracked' })
    })

    it('gives the old answer again at its old cut', async () => {
      const before = await shop.earned()
      expect(await shop.again(rushOf(moon), sold)).to.deep.equal(sold)
      expect(await shop.earned()).to.equal(before)
      expect(await service.answerAt(rushOf(dead), oldCutAtMs)).to.include(dead)
    })

    it('follows no mint that is not on its branch', async () => {
      node.happen([boughtAt(dead, 21, [0, 1]), boughtAt(moon, 21, [0, 1])])
      await goOnTogether(40)
      const facts = await recordsOf(factTopic)
      const late = facts.filter(({ data }) => (data as { slot: number }).slot > slotAt(minute(20)))
      expect(late.map(({ key }) => key)).to.deep.equal([moon])
    })
  })

  describe('when one of them stands still', () => {
    before(() => goOnTogether(60))

    it('both are sold while neither does', async () => {
      for (const path of [burstsPath, rushOf(moon), snapshotPath])
        expect(await shop.codeOf(path), path).to.equal('payment_required')
    })

    it('the other is sold, where chain A does', async () => {
      await goOnAlone(600)
      expect(await shop.codeOf(burstsPath)).to.equal('data_stale')
      expect(await shop.codeOf(rushOf(moon))).to.equal('payment_required')
    })

    it('a cut over both waits for the one that is behind', async () => {
      const [ofA, ofSecond] = [await cutOf(chainAStage), await cutOf(secondStage)]
      expect(ofSecond).to.be.greaterThan(ofA + 500_000)
      expect(await cutOf(chainAStage, secondStage)).to.equal(ofA)
      expect(await shop.codeOf(snapshotPath)).to.equal('data_stale')
    })

    it('the other is sold, where the second does, and the cut waits for that one', async () => {
      node.stand(true)
      await service.goOn(75, secondDerived)
      expect(await shop.codeOf(rushOf(moon))).to.equal('data_stale')
      expect(await shop.codeOf(burstsPath)).to.equal('payment_required')
      expect(await cutOf(chainAStage, secondStage)).to.equal(await cutOf(secondStage))
      expect(await shop.codeOf(snapshotPath)).to.equal('data_stale')
    })

    it('all is sold again when it has caught up', async () => {
      node.stand(false)
      await goOnTogether(76)
      for (const path of [burstsPath, rushOf(moon), snapshotPath])
        expect(await shop.codeOf(path), path).to.equal('payment_required')
    })
  })

  describe('when all tables are made again from the log', () => {
    const rows = () => service.database.query('SELECT * FROM second_rushes ORDER BY ALL')
    const answers = async () => {
      const texts: string[] = []
      for (const atMinute of [12, 20.1, 21, 45, 76])
        for (const path of [...[moon, twin, wave, dead].map(rushOf), snapshotPath, burstsPath])
          texts.push(await service.answerAt(path, minute(atMinute)))
      return texts
    }

    it('gives the same bytes at every cut, of both', async () => {
      const sold = await shop.buy(rushOf(moon))
      const before = [await rows(), await answers()]
      expect(new Set(before[1]).size, 'different answers').to.be.greaterThan(10)
      await service.rebuild()
      expect([await rows(), await answers()]).to.deep.equal(before)
      expect(await shop.again(rushOf(moon), sold)).to.deep.equal(sold)
    })
  })

  describe('leaves of chain A', () => {
    let alone: Service
    before(async () => {
      alone = await openService({ dataDir, name: 'alone', topicTable: topics, projections: [chainAProjection] })
      for (const toMinute of [10, 20, 40, 60, 75, 76]) await alone.goOn(toMinute)
    })
    after(() => alone?.close())

    it('every record, row and answer as it is without it, byte for byte', async () => {
      const expected = await chainAContents(alone, 76)
      const empty = Object.keys(expected).filter((name) => expected[name]?.length === 0)
      expect(empty).to.have.members(emptyTables)
      expect(differences(expected, await chainAContents(service, 76))).to.deep.equal([])
    })
  })
})
