/** Serves `/livez` and `/readyz`. They contain no data, so they have no limit and no price. */
import type Router from '@koa/router'
import type { Context } from 'koa'
import type { Readiness } from '../../infra/program.ts'
import type { ServiceReadiness } from './readiness.ts'

export function serveProbes(router: Router, readiness: Pick<ServiceReadiness, 'state'>): void {
  router.get('/livez', (ctx) => write(ctx, 'ok'))
  router.get('/readyz', async (ctx) => write(ctx, await readiness.state()))
}

function write(ctx: Context, status: Readiness): void {
  ctx.status = status === 'ok' ? 200 : 503
  ctx.set('Cache-Control', 'no-store')
  ctx.body = { status }
}
