import { performance } from 'node:perf_hooks'
import type { Middleware } from 'koa'
import type { Metrics } from '../../infra/metrics/metrics.ts'
import type { Route } from '../route.ts'

/** Counts requests and measures their durations. The label `route` is a pattern of ours, never a path of a client. */
export function measureRequests(metrics: Metrics, routes: readonly Pick<Route, 'pattern'>[]): Middleware {
  /** Each paid route is also served without `/v1`. Both patterns count as one route. */
  const nameOf = new Map(routes.map(({ pattern }) => [pattern.replace('/v1', ''), pattern]))
  const counts = new Map<string, Readonly<{ route: string; status: number; count: { value: number } }>>()
  const observe = metrics.observer('launch_data_http_request_duration_seconds')
  metrics.read('launch_data_http_requests_total', () =>
    [...counts.values()].map(({ route, status, count }) => [count.value, { route, status }] as const),
  )
  return async (ctx, next) => {
    const startedAtMs = performance.now()
    try {
      await next()
    } finally {
      const pattern = typeof ctx._matchedRoute === 'string' ? ctx._matchedRoute : 'none'
      const route = nameOf.get(pattern) ?? pattern
      // The stream and MCP write the response themselves. Then `ctx.status` is not the status that was sent.
      const status = ctx.res.headersSent ? ctx.res.statusCode : ctx.status
      const key = `${route} ${status}`
      const known = counts.get(key) ?? { route, status, count: { value: 0 } }
      counts.set(key, known)
      known.count.value += 1
      observe((performance.now() - startedAtMs) / 1000, { route })
    }
  }
}
