import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Router from '@koa/router'
import { expect } from 'chai'
import Koa from 'koa'
import { serveStatus } from '../../../api/edge/status-routes.ts'
import type { FreeRoute } from '../../../api/free-route.ts'
import { edgeOfTests } from '../edge.ts'

describe('the page about data health, as the service serves it', () => {
  const edge = edgeOfTests()

  it('shows the health to people, and may run nothing', async () => {
    const answer = await edge.get('/status')
    expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8')
    expect(answer.headers.get('content-security-policy')).to.not.contain('script')
    expect(await answer.text())
      .to.contain('<h1>Data health</h1>')
      .and.to.contain('>chainA<')
      .and.to.not.contain('<script')
  })

  it('shows the newest corrections, however many lists there are', async () => {
    const all = Array.from({ length: 1234 }, (_, index) => ({
      ...{ chain: 'chainA', type: `Row${index}.`, token: null, kind: 'restated', reason: 'reorg' },
      ...{ at: index, knownAt: index, changes: [] },
    }))
    const routeOf = (path: string, answer: (values: object) => object) =>
      ({ patterns: [path], answer: async (values: object) => answer(values) }) as unknown as FreeRoute
    const free = [
      routeOf('/v1/health', () => ({ status: 'ok', chains: {} })),
      routeOf('/v1/restatements', (values) => {
        const { since, limit } = values as { since: string; limit: number }
        const from = since === '' ? 0 : Number(since)
        const page = all.slice(from, from + limit)
        return { missingUntil: null, next: String(from + page.length), restatements: page }
      }),
    ]
    const router = new Router()
    serveStatus(router, { free, limit: (_, next) => next(), nowMs: Date.now })
    const server = createServer(new Koa().use(router.routes()).callback()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const page = await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/status`)).text()
    server.closeAllConnections()
    server.close()
    expect(page).to.contain('Row1233.').and.to.contain('Row1194.').and.to.not.contain('Row1193.')
  })
})
