/** The real service with simulated data, in this process. Its payment gate accepts everything. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp } from '../../../api/edge/app.ts'
import { routesOf } from '../../../api/products.ts'
import type { Route } from '../../../api/route.ts'
import { createSources } from '../../../api/sources.ts'
import { createDatabase } from '../../../infra/clickhouse/database.ts'
import { type ProgramThread, startThread } from '../../../infra/command-line/program-thread.ts'
import { readConfig } from '../../../infra/config.ts'
import { type Cuts, createCuts } from '../../../projections/cuts.ts'
import { silentLogger } from '../../replay/stage-log.ts'
import { streamOf } from '../../support/stream.ts'
import { createAgreeableGate } from './agreeable-gate.ts'
import type { Asked } from './tally.ts'

export type FuzzedService = Readonly<{
  baseUrl: string
  /** The listener gets every request from now on. */
  onAsked(listener: (asked: Asked) => void): void
  /** Buys an answer and returns its body. Tries again until the service has data to sell. */
  buy(path: string): Promise<unknown>
  /** Stops the market and the clock. */
  freeze(): Promise<void>
  close(): Promise<void>
}>

const programs = ['ingest', 'process', 'project'] as const

export async function serveSimulated(dataDir: string): Promise<FuzzedService> {
  const config = readConfig({ DATA_DIR: dataDir })
  const console = { report: () => {}, threadLog: { level: 'warn', write: null } }
  const threads: readonly ProgramThread[] = programs.map((program) => startThread(program, { config, console }))
  const database = await createDatabase({ dataDir, role: 'reader' })
  const chains = createSources({
    config,
    database,
    ruleIdSecret: 'a secret of the test',
    callerIdSecret: 'another secret of the test',
  })
  const stream = streamOf(chains)
  const created = createCuts({ database })
  let frozenAtMs: number | null = null
  const cuts: Cuts = {
    ...created,
    newest: (of) => (frozenAtMs === null ? created.newest(of) : created.at(frozenAtMs, of)),
  }
  // The clock of the API shows the time of the newest block in the tables. So no route refuses its data as
  // too old.
  const clock = { atMs: 0 }
  const stages = chains.map(({ stage }) => stage)
  const followMarket = async () => {
    const newest = await cuts.newest(stages)
    if (newest) clock.atMs = Math.min(...Object.values(newest.stages).map(({ blockAtMs }) => blockAtMs))
    return newest
  }
  const routes: readonly Route[] = routesOf(chains, [stream.passRoute])
  const app = createApp({
    ...{
      routes,
      stream: stream.route,
      sources: chains,
      gate: createAgreeableGate(),
      publicBaseUrl: 'http://127.0.0.1',
    },
    ...{ cuts, viewRefreshMs: config.VIEW_REFRESH_MS, trustedProxyCount: 1, logger: silentLogger },
    nowMs: () => clock.atMs,
  })
  const listeners: ((asked: Asked) => void)[] = []
  const serve = app.callback()
  let count = 0
  const server = createServer((request, response) => {
    count += 1
    // Each request has its own address, because the rate limits are not tested here.
    request.headers['x-forwarded-for'] = `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`
    const { method = '', url = '' } = request
    response.once('finish', () => {
      for (const listener of listeners) listener({ method, url, status: response.statusCode })
    })
    void serve(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const failed = Promise.race(threads.map(({ done }) => done))

  const get = (path: string) => fetch(baseUrl + path, { headers: { 'PAYMENT-SIGNATURE': 'yes' } })
  const buy = async (path: string): Promise<unknown> => {
    for (let turn = 0; turn < 240; turn++) {
      await followMarket()
      const answer = await get(path)
      if (answer.status === 200) return answer.json()
      await answer.arrayBuffer()
      await Promise.race([sleep(1000), failed])
    }
    throw new TypeError(`${path} is not sold within four minutes: ${await (await get(path)).text()}`)
  }
  return {
    baseUrl,
    onAsked: (listener) => void listeners.push(listener),
    buy,
    async freeze() {
      frozenAtMs = (await followMarket())?.atMs ?? null
      // Stops ingest, so the stages get no new facts. The projections continue, because they own the engine
      // of the tables.
      threads[0]?.stop()
    },
    async close() {
      stream.route.end('shutdown')
      server.closeAllConnections()
      server.close()
      for (const thread of threads) thread.stop()
      await Promise.allSettled(threads.map(({ done }) => done))
      await database.close()
    },
  }
}
