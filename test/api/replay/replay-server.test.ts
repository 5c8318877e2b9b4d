/**
 * Tests a replay server over a log of both chains and the chats. At each time it must answer as the service
 * did at that time.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openLaunchDataClient } from '../../../api/client/client.ts'
import { routesOf } from '../../../api/products.ts'
import type { ReplayState } from '../../../api/replay/clock.ts'
import { type ReplayServer, startReplayServer } from '../../../api/replay-main.ts'
import type { AnsweredRoute } from '../../../api/route.ts'
import { createSources } from '../../../api/sources.ts'
import { createDatabase, type Database } from '../../../infra/clickhouse/database.ts'
import { readConfig } from '../../../infra/config.ts'
import { projectHeld } from '../../../projections/main.ts'
import { type CallsLog, createCallsLog } from '../../projections/calls/derived-log.ts'
import { noonMs } from '../../projections/derived-log.ts'
import { openShop, type Shop } from '../../proofs/answers/shop.ts'
import { silentLogger } from '../../replay/stage-log.ts'
import { closeAll } from '../../support/close-all.ts'
import { changedAtMs, widestPathOf, writeFirst, writeMore } from '../as-of-market.ts'

const hourMs = 3_600_000
const secrets = { ruleIds: 'a secret of the test', callerIds: 'another secret of the test' }
const instants = [noonMs + hourMs + 150_000, changedAtMs, noonMs + 2 * hourMs + 150_000]

describe('a replay server', () => {
  let dataDir: string
  let derived: CallsLog
  let reader: Database
  let shop: Shop
  let server: ReplayServer
  let paths: readonly string[]

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-'))
    derived = await createCallsLog()
    await writeFirst(derived)
    await writeMore(derived)
    const { signal } = new AbortController()
    await projectHeld({ ...derived, database: { dataDir }, logger: silentLogger, signal })
    reader = await createDatabase({ dataDir, role: 'reader' })
    const config = readConfig({})
    const chains = createSources({
      ...{ config, database: reader, ruleIdSecret: secrets.ruleIds, callerIdSecret: secrets.callerIds },
    })
    shop = await openShop(reader, chains)
    paths = routesOf(chains)
      .filter((route): route is AnsweredRoute => !route.isPersonal)
      .map(widestPathOf)
    const range = { fromMs: noonMs, toMs: noonMs + 3 * hourMs }
    server = await startReplayServer({
      ...{ config, logger: silentLogger, open: derived, dataDir, range, speed: 1, port: 0, secrets },
    })
    await control('pause')
  })
  after(() => closeAll(server?.stop, shop?.close, reader?.close, () => rm(dataDir, { recursive: true, force: true })))

  const get = (path: string, init: RequestInit = {}) => fetch(server.url + path, init)
  const control = async (what: string): Promise<ReplayState> =>
    (await (await get(`/replay/${what}`, { method: 'POST' })).json()) as ReplayState
  const goTo = async (atMs: number) => {
    const { atMs: nowMs } = (await (await get('/replay')).json()) as ReplayState
    if (atMs > nowMs) await control(`step?ms=${atMs - nowMs}`)
  }

  for (const atMs of instants)
    it(`gives every body away as it was sold ${(atMs - noonMs) / 60_000} min after noon`, async () => {
      expect(paths.length).to.be.greaterThan(20)
      await goTo(atMs)
      for (const path of paths) {
        const sold = await shop.seek(path, atMs)
        const answer = await get(path)
        expect(answer.headers.get('x-replay-at'), path).to.equal(new Date(atMs).toISOString())
        expect(answer.headers.get('payment-response'), path).to.equal(null)
        if (sold === null) expect(answer.status, path).to.equal(404)
        else expect(JSON.parse(await answer.text()), path).to.deep.equal(sold)
      }
    })

  it('answers at exactly the time of a paused clock, however little it was moved', async () => {
    for (const stepMs of [37, 1, 500]) {
      const { atMs } = await control(`step?ms=${stepMs}`)
      const { generatedAt } = (await (await get('/v1/rh/bursts/live?minutes=60')).json()) as { generatedAt: number }
      expect(generatedAt).to.equal(atMs)
    }
  })

  it('answers as of an earlier instant, and never as of a later one', async () => {
    const [firstMs = 0] = instants
    const path = '/v1/rh/bursts/live?minutes=60'
    const { atMs } = (await (await get('/replay')).json()) as ReplayState
    expect(await (await get(`${path}&asOf=${firstMs}`)).text()).to.equal(await shop.buyText(path, firstMs))
    expect((await get(`${path}&asOf=${atMs + 60_000}`)).status).to.equal(400)
  })

  it('gives a client without a wallet its answers, answers of an earlier instant, and the stream', async () => {
    const [firstMs = 0] = instants
    const client = await openLaunchDataClient({ baseUrl: server.url, limits: { perCallUsdc: 0.01, perDayUsdc: 0.01 } })
    const { text, purchase } = await client.get('/v1/rh/bursts/live', { minutes: 60 })
    expect(text).to.equal(await (await get('/v1/rh/bursts/live?minutes=60')).text())
    expect(purchase).to.equal(null)
    const past = await client.asOf(firstMs).get('/v1/rh/bursts/live', { minutes: 60 })
    expect(past.answer.generatedAt).to.be.at.most(firstMs)
    expect(past.text).to.equal(await shop.buyText('/v1/rh/bursts/live?minutes=60', firstMs))
    for await (const { type, chains } of client.stream({ types: ['hello'] })) {
      expect(type).to.equal('hello')
      expect(Object.keys(chains)).to.include('chainA')
      break
    }
    await client.close()
  })

  it('says over MCP what it says over HTTP', async () => {
    const path = '/v1/rh/bursts/live'
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'rh_bursts_live', arguments: {} } }
    const { tools } = (await mcp({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).result
    const name = tools.find((tool: { name: string }) => tool.name.includes('bursts_live'))?.name
    const { result } = await mcp({ ...call, params: { name, arguments: {} } })
    expect(result.content[0].text).to.equal(await (await get(path)).text())
  })
  const mcp = async (message: object) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const text = await (await get('/mcp', { method: 'POST', headers, body: JSON.stringify(message) })).text()
    return JSON.parse(text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? ''))
  }

  it('asks no price: HEAD says that nothing is charged', async () => {
    expect((await get('/v1/rh/bursts/live', { method: 'HEAD' })).status).to.equal(503)
  })
})
