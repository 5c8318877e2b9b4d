import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Router from '@koa/router'
import { expect } from 'chai'
import Koa from 'koa'
import { measureRequests } from '../../../api/edge/measure-requests.ts'
import { serveProbes } from '../../../api/edge/probes.ts'
import { createMetrics } from '../../../infra/metrics/metrics.ts'
import type { Readiness } from '../../../infra/program.ts'
import { samplesOf } from '../../support/metric-samples.ts'

describe('the metrics of requests', () => {
  let readiness: Readiness

  /** Sends the requests in order to a small app with these metrics. Returns the statuses and the samples. */
  const measured = async (paths: readonly string[]) => {
    const metrics = createMetrics('serve')
    const router = new Router()
    for (const path of ['/v1/pools/:id/flow', '/pools/:id/flow'])
      router.get(path, (ctx) => {
        ctx.status = ctx.params.id === '0' ? 404 : 200
        ctx.body = {}
      })
    router.get('/v1/stream', (ctx) => {
      ctx.respond = false
      ctx.res.writeHead(206).end()
    })
    serveProbes(router, { state: async () => readiness })
    const app = new Koa().use(measureRequests(metrics, [{ pattern: '/v1/pools/:id/flow' }])).use(router.routes())
    const server = createServer(app.callback()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const statuses: number[] = []
    for (const path of paths) statuses.push((await fetch(base + path, { headers: { connection: 'close' } })).status)
    server.close()
    await once(server, 'close')
    const samples = await samplesOf(metrics)
    return { statuses, samples }
  }

  it('count by the pattern of the route, with one name for both paths of a paid route', async () => {
    readiness = 'ok'
    const paths = ['/v1/pools/7/flow', '/pools/8/flow', '/v1/pools/0/flow', '/secret-of-a-client', '/v1/stream']
    const { samples } = await measured(paths)
    expect(samples.filter((line) => line.startsWith('http_requests_total'))).to.have.members([
      'http_requests_total{route="/v1/pools/:id/flow",status="200"} 2',
      'http_requests_total{route="/v1/pools/:id/flow",status="404"} 1',
      'http_requests_total{route="none",status="404"} 1',
      'http_requests_total{route="/v1/stream",status="206"} 1',
    ])
    expect(samples).to.include('http_request_duration_seconds_count{route="/v1/pools/:id/flow"} 3')
    expect(samples.join()).to.not.contain('secret')
  })

  it('include the probes, whose status says whether the service can serve', async () => {
    for (const [state, status] of [
      ['warming_up', 503],
      ['ok', 200],
      ['draining', 503],
    ] as const) {
      readiness = state
      const { statuses } = await measured(['/livez', '/readyz'])
      expect(statuses).to.deep.equal([200, status])
    }
  })
})
