/**
 * Tests that a failure of one chain does not affect the other chain. Both chains run on one log, with real
 * tables and the HTTP server. A chain without facts simulates a chain whose ingest always fails.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { healthInfo, statesOf } from '../../api/edge/service-info.ts'
import { routesOf } from '../../api/products.ts'
import { type Route, stageCutOf, stagesOf } from '../../api/route.ts'
import { createAnswers } from '../../api/sale/answers.ts'
import { judgeFreshness } from '../../api/sale/freshness.ts'
import { parseParams } from '../../api/sale/params.ts'
import type { ApiSource } from '../../api/source.ts'
import { createSources } from '../../api/sources.ts'
import { createDatabase, type Database } from '../../infra/clickhouse/database.ts'
import { createMemoryRegistry } from '../../infra/codec/registry/schema-table.ts'
import { readConfig } from '../../infra/config.ts'
import type { Log } from '../../infra/log/log.ts'
import { createMemoryLog } from '../../infra/log/memory/memory-log.ts'
import { runProcessProgram } from '../../processors/main.ts'
import type { RunnableStage } from '../../processors/runtime/runnable-stage.ts'
import { chainA, chainB } from '../../processors/stages.ts'
import { type Cuts, createCuts } from '../../projections/cuts.ts'
import { projections } from '../../projections/projections.ts'
import { runProjections } from '../../projections/sink/run.ts'
import type { Stage, StageTypes } from '../../schemas/stage.ts'
import { isTick } from '../../schemas/stage.ts'
import type { KeyedRecord } from '../replay/keyed-record.ts'
import { marketFacts } from '../replay/market/market-facts.ts'
import { appendFacts, type OpenStage, openStage, silentLogger } from '../replay/stage-log.ts'
import { testStartAtMs } from '../support/builders/build-facts.ts'
import { curveMarket } from '../support/chain-b/market.ts'
import { closeAll } from '../support/close-all.ts'

const config = readConfig({})
/** The first hours of both test markets, split into three parts. */
const partCount = 3
const partMs = 40 * 60_000
const partitions = [0, 1, 2, 3]

/** One chain with its facts, and the requests about it. */
type Side = Readonly<{
  stage: Stage
  /** The last tick of a part. */
  endOf(part: number): Readonly<{ atMs: number; blockNumber: number }>
  /** Writes a part to the log. All partitions get the ticks, and the first partition gets the facts. */
  tell(log: Log, part: number): Promise<void>
  questions: readonly Readonly<{ pattern: string; query: Record<string, string> }>[]
}>

function sideOf<Types extends StageTypes>(
  runnable: RunnableStage<Types>,
  records: readonly KeyedRecord<Types>[],
  questions: Side['questions'],
): Side {
  const { stage } = runnable
  /** The index after the last tick of the part. */
  const endIndexOf = (part: number): number =>
    1 + records.findLastIndex(({ record }) => isTick(record) && record.data.blockAtMs <= testStartAtMs + part * partMs)
  const open = (): Promise<OpenStage<Types>> => openStage(runnable, registry)
  return {
    stage,
    questions,
    endOf(part) {
      const last = records[endIndexOf(part) - 1]?.record
      assert(last && isTick(last))
      return { atMs: last.data.knownAtMs, blockNumber: last.data.blockNumber }
    },
    async tell(log, part) {
      const ofPart = records.slice(endIndexOf(part - 1), endIndexOf(part))
      for (const partition of partitions) {
        const those = partition === 0 ? ofPart : ofPart.filter(({ record }) => isTick(record))
        await appendFacts({ ...(await open()), log, partition }, those)
      }
    },
  }
}

const registry = createMemoryRegistry()
const sideA = sideOf(chainA, marketFacts(11), [
  { pattern: '/v1/rh/bursts/live', query: { minutes: '240', tier: 'all' } },
  { pattern: '/v1/rh/bursts/history', query: { hours: '24', tier: 'all' } },
  { pattern: '/v1/rh/pools/new', query: { hours: '24', limit: '1000' } },
  { pattern: '/v1/rh/crews', query: { minBursts: '3' } },
])
const sideB = sideOf(chainB, curveMarket(11), [
  { pattern: '/v1/sol/bursts/live', query: { minutes: '240' } },
  { pattern: '/v1/sol/bursts/history', query: { hours: '24' } },
  { pattern: '/v1/sol/grads/live', query: { minutes: '240' } },
  { pattern: '/v1/sol/grads/history', query: { hours: '48' } },
])

/** The running programs on one log, with their own database. */
type Service = Readonly<{
  log: Log
  chains: readonly ApiSource[]
  routes: readonly Route[]
  cuts: Cuts
  /** Waits until the tables have the facts of the part. */
  until(side: Side, part: number): Promise<void>
  close(): Promise<void>
}>

async function openService(dataDir: string, name: string): Promise<Service> {
  const log = createMemoryLog({ nowMs: () => 0 })
  const writer = await createDatabase({ dataDir, name, role: 'writer' })
  const database: Database = await createDatabase({ dataDir, name, role: 'reader' })
  const stop = new AbortController()
  const context = { config, logger: silentLogger, signal: stop.signal, share: { index: 0, count: 1 }, report: () => {} }
  const running = Promise.all([
    runProcessProgram(context, {
      ...{ log, registry, restartPauseMs: () => null, close: async () => {} },
      sharePartitions: ({ signal, work }) => work(partitions, signal),
    }),
    runProjections({ ...context, projections, log, registry, database: writer, flushIntervalMs: 5 }),
  ])
  const cuts = createCuts({ database })
  const chains = createSources({
    config,
    database,
    ruleIdSecret: 'a secret of the test',
    callerIdSecret: 'another secret of the test',
  })
  return {
    ...{ log, cuts, chains, routes: routesOf(chains) },
    async until({ stage, endOf }, part) {
      const isThere = async () => ((await cuts.newest([stage]))?.atMs ?? 0) >= endOf(part).atMs
      while (!(await isThere())) await Promise.race([running, sleep(10)])
    },
    async close() {
      stop.abort()
      await closeAll(async () => void (await running), writer.close, database.close)
    },
  }
}

/** Returns the bytes of each answer about the chain at the end of a part. */
async function answersOf({ cuts, routes }: Service, side: Side, part: number): Promise<readonly string[]> {
  const answers = createAnswers({ cuts, nowMs: () => 0, refreshMs: 0 })
  const bodies: string[] = []
  for (const { pattern, query } of side.questions) {
    const route = routes.find((one) => one.pattern === pattern)
    assert(route)
    const parsed = parseParams(route.params, { query, path: {} })
    const cut = await cuts.at(side.endOf(part).atMs - 1, stagesOf(route))
    assert('values' in parsed && cut)
    const answer = await answers.answer(route, parsed.values, cut)
    assert('bytes' in answer)
    bodies.push(answer.bytes.toString())
  }
  return bodies
}

describe('a sick chain', () => {
  let dataDir: string
  let well: Service
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-isolation-'))
    well = await openService(dataDir, 'well')
    for (const side of [sideA, sideB])
      for (let part = 1; part <= partCount; part++) {
        await side.tell(well.log, part)
        await well.until(side, part)
      }
  })
  after(() => closeAll(well?.close, () => rm(dataDir, { recursive: true, force: true })))

  for (const [other, sick] of [
    [sideA, sideB],
    [sideB, sideA],
  ] as const)
    describe(`${sick.stage.name}, beside ${other.stage.name}`, () => {
      let service: Service
      before(async () => {
        service = await openService(dataDir, `sick_${sick.stage.name.replace('-', '_')}`)
      })
      after(() => service?.close())

      /**
       * Returns the state of each route, of the snapshot and of health. The clock is set to 1 s after the end
       * of the part.
       */
      const toldAt = async (part: number) => {
        const nowMs = other.endOf(part).atMs + 1000
        const refusals = await Promise.all(
          service.routes.map(async (route) => {
            const cut = await service.cuts.newest(stagesOf(route))
            const refusal = cut === null ? 'warming_up' : judgeFreshness(route.dependsOn, cut, nowMs)
            return [route.pattern, typeof refusal === 'string' ? refusal : (refusal?.code ?? 'sold')] as const
          }),
        )
        const codes = Object.fromEntries(refusals)
        const answers = createAnswers({ cuts: service.cuts, nowMs: () => nowMs, refreshMs: 0 })
        const { chains } = healthInfo(await statesOf(service.chains, answers), nowMs)
        const wireNames = { 'chain-a': config.CHAIN_A_NAME, 'chain-b': config.CHAIN_B_NAME }
        const statusOf = ({ stage }: Side) => chains[wireNames[stage.name as keyof typeof wireNames]]?.status
        return {
          sold: new Set(other.questions.map(({ pattern }) => codes[pattern])),
          sick: new Set(sick.questions.map(({ pattern }) => codes[pattern])),
          snapshot: codes['/v1/snapshot'],
          health: [statusOf(other), statusOf(sick)],
        }
      }
      const goOn = async (part: number) => {
        await other.tell(service.log, part)
        await service.until(other, part)
        expect(await answersOf(service, other, part)).to.deep.equal(await answersOf(well, other, part))
        const cut = await service.cuts.newest([other.stage])
        assert(cut)
        expect(stageCutOf(cut, other.stage).atMs).to.equal(other.endOf(part).atMs)
      }
      const only = (code: string) => new Set([code])

      it('changes nothing while its ingest fails at every try', async () => {
        await goOn(1)
        const told = await toldAt(1)
        const warming = 'warming_up'
        expect(told).to.deep.equal({
          ...{ sold: only('sold'), sick: only(warming), snapshot: warming, health: ['ok', warming] },
        })
      })

      it('changes nothing while its ticks stand still for long', async () => {
        await sick.tell(service.log, 1)
        await service.until(sick, 1)
        await goOn(2)
        const told = await toldAt(2)
        const stale = 'data_stale'
        expect(told).to.deep.equal({
          ...{ sold: only('sold'), sick: only(stale), snapshot: stale, health: ['ok', 'stale'] },
        })
      })

      it('changes nothing while its stage fails at a fact that nobody can read', async () => {
        const writer = await service.log.openWriter('a writer with a fault')
        const value = Buffer.from([0, 0, 0, 0, 1, 9])
        await writer.append([{ topic: sick.stage.factTopic.name, partition: 0, key: 'x', value }])
        await sick.tell(service.log, 2)
        await goOn(3)
        const cut = await service.cuts.newest([sick.stage])
        assert(cut)
        expect(cut.atMs, 'it stands before that fact').to.be.at.most(sick.endOf(1).atMs)
        const [live = ''] = await answersOf(service, other, 3)
        expect(JSON.parse(live).bursts, 'there was something to compare').not.to.be.empty
      })
    })
})
