/**
 * Runs chains in one process, on one embedded log and one embedded ClickHouse. All chains share one clock,
 * and each step of chain A moves the clock.
 */
import { join } from 'node:path'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { createChainA } from '../../api/chain-a/chain.ts'
import { routesOf } from '../../api/products.ts'
import { type Route, stagesFor } from '../../api/route.ts'
import { createAnswers } from '../../api/sale/answers.ts'
import { parseParams } from '../../api/sale/params.ts'
import type { ApiSource } from '../../api/source.ts'
import { createDatabase, type Database } from '../../infra/clickhouse/database.ts'
import { createSchemaCodec, type SchemaRegistry } from '../../infra/codec/schema-codec.ts'
import type { Log } from '../../infra/log/log.ts'
import { openLog } from '../../infra/log/open-log.ts'
import { readLastTick } from '../../infra/log/ticks.ts'
import { createIngestCodecs } from '../../ingest/codecs.ts'
import { createChainAQueries } from '../../projections/chain-a/queries/chain-a.ts'
import { type Cuts, createCuts } from '../../projections/cuts.ts'
import type { Projection } from '../../projections/projection.ts'
import { rebuildProjections } from '../../projections/sink/rebuild.ts'
import { runProjections } from '../../projections/sink/run.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import type { Stage } from '../../schemas/stage.ts'
import type { Tick } from '../../schemas/tick.ts'
import type { Topic, TopicTable } from '../../schemas/topics.ts'
import { deriveSpan } from '../proofs/crash/derive-span.ts'
import { silentLogger } from '../replay/stage-log.ts'
import { closeAll } from '../support/close-all.ts'

export const startMs = Date.UTC(2026, 0, 1)
export const minute = (count: number): number => startMs + count * 60_000

const presentation = {
  chainName: 'chainA',
  launchpadKey: 'launchCurve',
  ruleIdSecret: 'a secret of the test',
  callerIdSecret: 'another secret of the test',
}
const reorgs = { seed: 1, everySec: 360, depthMax: 300 }

export type ServiceOptions = Readonly<{
  dataDir: string
  /**
   * The name of the log folder and of the database. The name must be unique in the process, because a process
   * has only one folder for ClickHouse.
   */
  name: string
  topicTable: TopicTable
  projections: readonly Projection[]
  /** The sources beside chain A. */
  createOthers?: (database: Database) => readonly ApiSource[]
}>

export type Service = Readonly<{
  clock: { atMs: number }
  log: Log
  registry: SchemaRegistry
  database: Database
  cuts: Cuts
  chains: readonly ApiSource[]
  routes: readonly Route[]
  /** The ids of all writers that were ever opened on the log. */
  writerIds: readonly string[]
  lastTick(topic: Topic, partition: number): Promise<Tick | null>
  /** Simulates chain A up to this minute, and waits until all of its records are in the tables. */
  goOn(toMinute: number, onStep?: () => Promise<void>): Promise<void>
  /** Resolves when the tables contain all records of the stage in the log. */
  projected(stage: Stage): Promise<void>
  /** Stops the projections and rebuilds all tables from the log. */
  rebuild(): Promise<void>
  /** Returns the bytes of an answer for the cut time `atMs`, or the code of the refusal. Nothing is cached. */
  answerAt(path: string, atMs: number): Promise<string>
  close(): Promise<void>
}>

export async function openService(options: ServiceOptions): Promise<Service> {
  const { dataDir, name, topicTable, projections, createOthers = () => [] } = options
  const clock = { atMs: startMs }
  const { log, registry, close } = await openLog({ dataDir: join(dataDir, name), nowMs: () => clock.atMs, topicTable })
  const writerIds: string[] = []
  const watchedLog: Log = {
    ...log,
    openWriter(id, writing) {
      writerIds.push(id)
      return log.openWriter(id, writing)
    },
  }
  const writer = await createDatabase({ dataDir, name, role: 'writer' })
  const database = await createDatabase({ dataDir, name, role: 'reader' })
  const sink = { projections, log, registry, logger: silentLogger }
  const stop = new AbortController()
  const running = runProjections({ ...sink, database: writer, signal: stop.signal, flushIntervalMs: 10 })
  running.catch(() => {})
  const codecs = await createIngestCodecs(chainAStage, registry, topicTable.addresses)
  const cuts = createCuts({ database })
  const chains = [createChainA({ queries: createChainAQueries({ database }), presentation }), ...createOthers(database)]
  const routes = routesOf(chains)

  const lastTick = async (topic: Topic, partition: number) =>
    readLastTick({ log, topic: topic.name, partition, codec: await createSchemaCodec(topic, registry) })
  const projected = async ({ derivedTopic }: Stage) => {
    const { seq } = (await lastTick(derivedTopic, 0)) ?? { seq: 0 }
    for (;;) {
      const done = await database.query<{ seq: string }>(
        `SELECT max(seq) AS seq FROM watermarks WHERE state = 'done' AND topic = '${derivedTopic.name}' GROUP BY log_partition`,
      )
      if (done.length === derivedTopic.partitionCount && done.every((one) => Number(one.seq) >= seq)) return
      await Promise.race([running, sleep(10)])
    }
  }
  return {
    ...{ clock, log: watchedLog, registry, database, cuts, chains, routes, writerIds, lastTick, projected },
    async goOn(toMinute, onStep = async () => {}) {
      // The last minute is simulated in ranges of only 20 s, so that the last tick in the tables is recent.
      for (const [toMs, rangeSec] of [
        [minute(toMinute - 1), 300],
        [minute(toMinute), 20],
      ] as const)
        await deriveSpan({
          ...{ log: watchedLog, codecs, clock },
          span: { seed: 7, fromMs: startMs, toMs, rangeSec, reorgs },
          readPrice: async () => ({ usd: 3000, atMs: startMs }),
          async onStep() {
            // The price has been read by then.
            await setImmediate()
            await onStep()
          },
        })
      await onStep()
      await projected(chainAStage)
    },
    async rebuild() {
      stop.abort()
      await running
      await writer.close()
      await rebuildProjections({ ...sink, database: { dataDir, name }, signal: new AbortController().signal })
    },
    async answerAt(path, atMs) {
      const { pathname, searchParams } = new URL(path, 'http://service')
      const isOf = ({ pattern }: Route) => new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`).test(pathname)
      const route = routes.find(isOf) as Route
      const names = route.pattern.split('/')
      const inPath = pathname
        .split('/')
        .flatMap((part, index) => (names[index] === part ? [] : [[names[index]?.slice(1), part]]))
      const parsed = parseParams(route.params, {
        query: Object.fromEntries(searchParams),
        path: Object.fromEntries(inPath),
      })
      if ('refusal' in parsed) return parsed.refusal.code
      const cut = await cuts.at(atMs, stagesFor(route, parsed.values))
      if (cut === null) return 'no cut'
      const answer = await createAnswers({ cuts, nowMs: () => 0, refreshMs: 0 }).answer(route, parsed.values, cut)
      return 'bytes' in answer ? answer.bytes.toString() : answer.refusal.code
    },
    async close() {
      stop.abort()
      await closeAll(() => running, writer.close, database.close, close)
    },
  }
}
