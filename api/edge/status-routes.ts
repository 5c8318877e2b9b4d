/** Serves `/status`, the page about data health. */
import type Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import type { FreeRoute } from '../free-route.ts'
import { createHealthPage, type HealthPage } from '../front/health-page.ts'
import type { Params, ParamValues } from '../sale/params.ts'

type Status = Readonly<{
  /** The free routes, from which the page takes what it shows. */
  free: readonly FreeRoute[]
  limit: Middleware
  nowMs: () => number
}>

export function serveStatus(router: Router, { free, limit, nowMs }: Status): void {
  const page = pageOf(free, nowMs)
  if (page !== null)
    router.get('/status', limit, async (ctx: Context) => {
      ctx.set('Content-Security-Policy', page.contentSecurityPolicy)
      ctx.set('Cache-Control', 'public, max-age=10')
      ctx.type = 'text/html; charset=utf-8'
      ctx.body = await page.html()
    })
}

/** Returns the page, or null if the service has no route about its health. */
function pageOf(free: readonly FreeRoute[], nowMs: () => number): HealthPage | null {
  const routeAt = (path: string) => free.find(({ patterns }) => patterns.some((pattern) => pattern === path))
  const [health, coverage, restatements] = ['/v1/health', '/v1/coverage', '/v1/restatements'].map(routeAt)
  if (health === undefined) return null
  return createHealthPage(
    {
      health: () => health.answer({}),
      coverage: coverage && (() => coverage.answer({})),
      restatements: restatements && (() => newestOf(restatements)),
    },
    nowMs,
  )
}

const listMax = 500
const listsMax = 40

/** Returns the newest corrections. The route lists the oldest first, and answers from memory. */
async function newestOf(route: FreeRoute): Promise<object> {
  const found: unknown[] = []
  let since = ''
  for (let list = 1; ; list++) {
    const values = { since, limit: listMax } as unknown as ParamValues<Params>
    const body = (await route.answer(values)) as Readonly<{ next: string; restatements: readonly unknown[] }>
    found.push(...body.restatements)
    if (body.restatements.length < listMax || list === listsMax) return { ...body, restatements: found.slice(-listMax) }
    since = body.next
  }
}
