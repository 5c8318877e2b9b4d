/** The HTTP edge: routes, the order of refusals, and the payment gate behind all of them. Does not listen. */
import Router from '@koa/router'
import Koa, { type Context } from 'koa'
import type { Logger } from '../../infra/telemetry.ts'
import type { CutViews } from '../chain-a/cut-views.ts'
import type { Presentation } from '../chain-a/present.ts'
import { burstRoutes } from '../chain-a/routes/bursts.ts'
import { poolRoutes } from '../chain-a/routes/pools.ts'
import { snapshotRoutes } from '../chain-a/routes/snapshot.ts'
import { tokenRoutes } from '../chain-a/routes/tokens.ts'
import type { PaymentGate } from '../payments/payment.ts'
import { createAnswers } from './answers.ts'
import { crossOrigin, guarded, rateLimited, securityHeaders, writeRefusal } from './middleware.ts'
import { type PaidRoutes, servePaid } from './paid-route.ts'
import { refuse } from './refusals.ts'
import { healthInfo, serviceInfo } from './service-info.ts'

export type AppDependencies = Readonly<{
  views: CutViews
  gate: PaymentGate
  presentation: Presentation
  publicBaseUrl: string
  viewRefreshMs: number
  trustedProxyCount: number
  nowMs: () => number
  logger: Logger
}>

const freeRequestsPerMinute = 120

export function createApp(dependencies: AppDependencies): Koa {
  const { views, presentation, publicBaseUrl, nowMs, logger } = dependencies
  const answers = createAnswers({ views, nowMs, refreshMs: Math.min(dependencies.viewRefreshMs, 1000) })
  const routes = [burstRoutes, poolRoutes, tokenRoutes, snapshotRoutes].flatMap((make) => make(views, presentation))
  const paid: PaidRoutes = { ...dependencies, answers }

  const router = new Router()
  for (const route of routes)
    for (const path of [route.pattern, route.pattern.replace('/v1', '')])
      router.get(path, (ctx) => servePaid(ctx, route, paid))

  const free = rateLimited(freeRequestsPerMinute, publicBaseUrl)
  const describe = async (ctx: Context) => {
    const cut = await answers.newestCut()
    ctx.body = await serviceInfo(cut, { views, routes, gate: dependencies.gate })
  }
  router.get('/', free, describe)
  router.get('/health', free, describe)
  router.get('/v1/health', free, async (ctx) => {
    ctx.body = healthInfo(await answers.newestCut(), nowMs())
  })

  const app = new Koa(
    dependencies.trustedProxyCount > 0 ? { proxy: true, maxIpsCount: dependencies.trustedProxyCount } : {},
  )
  app.on('error', (error) => logger.error({ err: error }, 'response failed'))
  app.use(crossOrigin).use(securityHeaders).use(guarded(logger, publicBaseUrl)).use(router.routes())
  app.use((ctx) => refuseUnrouted(ctx, publicBaseUrl))
  return app
}

/** The path exists but not with this method, or it does not exist at all. */
function refuseUnrouted(ctx: Context, publicBaseUrl: string): void {
  const isKnown = Array.isArray(ctx.matched) && ctx.matched.length > 0
  if (!isKnown) {
    writeRefusal(
      ctx,
      refuse('no_such_route', `there is nothing at ${ctx.path}; the routes are listed at /`),
      publicBaseUrl,
    )
    return
  }
  ctx.set('Allow', 'GET, HEAD, OPTIONS')
  writeRefusal(ctx, refuse('method_not_allowed', `${ctx.method} is not served here; use GET`), publicBaseUrl)
}
