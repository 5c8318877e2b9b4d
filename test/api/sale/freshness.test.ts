import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { expect } from 'chai'
import { createChainA } from '../../../api/chain-a/chain.ts'
import { createApp } from '../../../api/edge/app.ts'
import { routesOf } from '../../../api/products.ts'
import { routeIdOf } from '../../../api/route.ts'
import { dataAgeMs } from '../../../api/sale/freshness.ts'
import { createDatabase, type Database } from '../../../infra/clickhouse/database.ts'
import { type OpenLog, openLog } from '../../../infra/log/open-log.ts'
import { createLogger } from '../../../infra/telemetry.ts'
import { chainADefinition } from '../../../ingest/chain-a/definition.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import { type ChainPublisher, createChainPublisher } from '../../../ingest/publish.ts'
import { runTask } from '../../../processors/runtime/run-task.ts'
import { chainA } from '../../../processors/stages.ts'
import { chainAProjection } from '../../../projections/chain-a/projection.ts'
import { createChainAQueries } from '../../../projections/chain-a/queries/chain-a.ts'
import { type Cuts, createCuts, type StageCut } from '../../../projections/cuts.ts'
import { runProjections } from '../../../projections/sink/run.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { topics } from '../../../schemas/topics.ts'
import { buildHash, buildPoolCreated, testPool, testToken } from '../../support/builders/build-facts.ts'
import { closeAll } from '../../support/close-all.ts'
import { type FacilitatorDouble, startFacilitatorDouble } from '../../support/payments/facilitator-double.ts'
import { chainAPatterns, chainARoutes, pathOf, patternsOf } from '../../support/payments/paid-routes.ts'
import {
  createTestClock,
  memoryLog,
  openPaidService,
  type PaidService,
  sign,
  toHeader,
} from '../../support/payments/paid-service.ts'
import { paid } from '../spec/routes.ts'

const limitMs = 120_000
const laterMs = 60_000
const pathsWithin = (maxAgeSec: number): readonly string[] =>
  chainARoutes
    .filter((route) => paid[routeIdOf(route).slice(4)]?.maxAgeSec === maxAgeSec)
    .map((route) => pathOf(route, { id: testPool, addr: testToken }))
const soonStalePaths = pathsWithin(limitMs / 1000)
/** The data of these routes may be `laterMs` milliseconds older than the data of the routes above. */
const laterStalePaths = pathsWithin((limitMs + laterMs) / 1000)
const paidPaths = [...soonStalePaths, ...laterStalePaths]
const deskPath = '/v1/desk/trades'
const freePaths = ['/', '/health', '/v1/health']
const projections = [chainAProjection]
const logger = createLogger('test', 'silent')

type Part = Readonly<{ start(): void; stop(): Promise<void> }>

function createPart(run: (signal: AbortSignal) => Promise<void>): Part {
  let stopping = new AbortController()
  let running = Promise.resolve()
  return {
    start() {
      stopping = new AbortController()
      running = run(stopping.signal)
      // `stop` throws the failure. Before that, the rejection must not count as unhandled.
      running.catch(() => {})
    },
    async stop() {
      stopping.abort()
      await running
    },
  }
}

describe('the age of data', () => {
  it('is that of the newest block, or of the cut where blocks carry later times, and never below zero', () => {
    const ageOf = (atMs: number, blockAtMs: number) => dataAgeMs({ atMs, blockAtMs }, 5000)
    expect([ageOf(4000, 3000), ageOf(4000, 4500), ageOf(6000, 7000)]).to.deep.equal([2000, 1000, 0])
  })
})

describe('the freshness of what is sold', () => {
  const clock = createTestClock()
  let dataDir: string
  let open: OpenLog
  let databases: readonly Database[] = []
  let publisher: ChainPublisher
  let cuts: Cuts
  let tasks: readonly Part[] = []
  let sink: Part
  let double: FacilitatorDouble
  let paid: PaidService
  let server: Server
  let baseUrl: string
  let isFeedSilent = false

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-'))
    open = await openLog({ dataDir, nowMs: clock.nowMs })
    const { log, registry } = open
    const codecs = await createIngestCodecs(chainAStage, registry)
    const writer = await createDatabase({ dataDir, role: 'writer' })
    databases = [writer]
    const reader = await createDatabase({ dataDir, role: 'reader' })
    databases = [reader, writer]
    cuts = createCuts({ database: reader })
    const ingest = {
      log,
      codecs,
      chain: chainADefinition,
      kind: 'chain',
    } as const
    publisher = await createChainPublisher({ ...ingest, nowMs: clock.nowMs })
    const stage = {
      ...{ ...chainA, log, factCodec: codecs.facts, derivedCodec: codecs.derived },
      ...{ nowMs: clock.nowMs, logger },
    }
    tasks = Array.from({ length: topics['chain-a-facts'].partitionCount }, (_, partition) =>
      createPart((signal) => runTask(stage, partition, signal)),
    )
    sink = createPart((signal) =>
      runProjections({ projections, log, registry, database: writer, logger, signal, flushIntervalMs: 0 }),
    )
    for (const part of [...tasks, sink]) part.start()

    double = await startFacilitatorDouble()
    // Buyers sign with the real time. So payments need a separate clock.
    const paymentClock = createTestClock()
    paid = await openPaidService(double, { log: memoryLog(paymentClock), clock: paymentClock })
    await paid.gate.refresh()
    const presentation = {
      chainName: 'chainA',
      launchpadKey: 'launchCurve',
      ruleIdSecret: 'a secret of the test',
      callerIdSecret: 'another secret of the test',
    }
    const chains = [createChainA({ queries: createChainAQueries({ database: reader }), presentation })]
    const app = createApp({
      ...{ routes: routesOf(chains), sources: chains, cuts, gate: paid.gate },
      ...{ nowMs: clock.nowMs, logger, viewRefreshMs: 0, trustedProxyCount: 0 },
      publicBaseUrl: 'https://data.example',
    })
    server = createServer(app.callback()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })

  after(async () => {
    server?.closeAllConnections()
    server?.close()
    const parts = [...tasks, sink].map((part) => part?.stop)
    const tables = databases.map(({ close }) => close)
    const removeData = () => rm(dataDir, { recursive: true, force: true })
    await closeAll(paid?.gate.close, double?.stop, ...parts, publisher?.close, ...tables, open?.close, removeData)
  })

  /** Publishes a block. If `isFeedSilent` is true, publishes a tick without a block. */
  const tick = async (durationMs: number) => {
    clock.advance(durationMs)
    const cursor = publisher.cursor()
    if (cursor && isFeedSilent) return publisher.repeat(null)
    const number = (cursor?.number ?? 1000) + 1
    const atMs = clock.nowMs() - (clock.nowMs() % 1000)
    const position = { blockNumber: number, blockAtMs: atMs, blockHash: buildHash(number) }
    await publisher.publish(
      {
        fromBlock: number,
        head: { number, hash: buildHash(number), atMs },
        facts: cursor ? [] : [{ key: testToken, fact: buildPoolCreated(position) }],
        newAddresses: [],
      },
      { usd: 3000, atMs },
    )
  }

  /** Waits until the tables have a data time (cut) that is new enough, and returns this cut. */
  const newestCut = async (isNewEnough: (cut: StageCut) => boolean): Promise<StageCut> => {
    for (;;) {
      const cut = (await cuts.newest([chainAStage]))?.stages[chainAStage.name]
      if (cut && isNewEnough(cut)) return cut
      await sleep(5)
    }
  }

  /** Publishes a tick and waits until the tables have the newest data. */
  const goOnUntilFresh = async () => {
    await tick(6000)
    const atMs = clock.nowMs()
    await newestCut((cut) => cut.atMs >= atMs && cut.blockAtMs >= atMs - 1000)
  }

  const get = (path: string, headers: Readonly<Record<string, string>> = {}) => fetch(baseUrl + path, { headers })

  const expectSold = async (paths: readonly string[] = paidPaths) => {
    for (const path of freePaths) expect((await get(path)).status, path).to.equal(200)
    for (const path of paths) {
      const asked = await get(path)
      expect(asked.status, path).to.equal(402)
      const payload = await sign(decodePaymentRequiredHeader(asked.headers.get('payment-required') as string))
      const answer = await get(path, { 'PAYMENT-SIGNATURE': toHeader(payload).header })
      expect(answer.status, path).to.equal(200)
    }
  }

  const expectStale = async (paths: readonly string[], ageMs: number) => {
    const { transfers } = double
    const soldCount = transfers.size
    for (const path of freePaths) expect((await get(path)).status, path).to.equal(200)
    expect(await (await get('/v1/health')).json()).to.include({ status: 'stale', dataAgeSec: ageMs / 1000 })
    for (const path of paths) {
      const refused = await get(path)
      expect([refused.status, ((await refused.json()) as { code: string }).code], path).to.deep.equal([
        503,
        'data_stale',
      ])
    }
    // The trades of the paper desk have a longer age limit.
    expect((await get(deskPath)).status).to.equal(402)
    expect(transfers.size).to.equal(soldCount)
  }

  /** Checks both age limits, which count from the newest data before the stop. */
  const expectLimit = async () => {
    const stoppedAtMs = clock.nowMs()
    for (let step = 0; step < 3; step++) await tick(30_000)
    const cut = await newestCut(({ atMs }) => !isFeedSilent || atMs > stoppedAtMs + 50_000)
    const newestAtMs = Math.min(cut.atMs, cut.blockAtMs)
    expect(newestAtMs).to.be.at.most(stoppedAtMs)
    clock.advance(newestAtMs + limitMs - clock.nowMs())
    await expectSold()
    clock.advance(1)
    await expectStale(soonStalePaths, limitMs)
    clock.advance(laterMs - 1)
    await expectSold(laterStalePaths)
    clock.advance(1)
    await expectStale(paidPaths, limitMs + laterMs)
  }

  it('is asked of every paid route of the chain', () => {
    expect(patternsOf([...paidPaths, deskPath])).to.have.members(chainAPatterns)
  })

  it('is kept while everything runs, however much time passes', async () => {
    for (let minute = 0; minute < 4; minute++) {
      await tick(60_000)
      await goOnUntilFresh()
    }
    await expectSold()
  })

  const outages: Readonly<Record<string, Readonly<{ stop(): Promise<void>; start(): void }>>> = {
    'the feed': {
      async stop() {
        isFeedSilent = true
      },
      start() {
        isFeedSilent = false
      },
    },
    'the stage': {
      async stop() {
        for (const task of tasks) await task.stop()
      },
      start() {
        for (const task of tasks) task.start()
      },
    },
    'one partition of the stage': { stop: async () => tasks[2]?.stop(), start: () => tasks[2]?.start() },
    'the sink': { stop: () => sink.stop(), start: () => sink.start() },
  }

  for (const [name, { stop, start }] of Object.entries(outages))
    it(`is lost two minutes after ${name} has stopped, a verdict after three, to the millisecond, and comes back with it`, async () => {
      await goOnUntilFresh()
      await stop()
      try {
        await expectLimit()
      } finally {
        start()
      }
      await goOnUntilFresh()
      await expectSold()
    })
})
