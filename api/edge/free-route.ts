/** Serves free routes over HTTP, with their limits and cache headers. */
import { createHash } from 'node:crypto'
import type Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import type { EpochMs } from '../../schemas/units.ts'
import { contentSecurityPolicyOf, type Page } from '../documents/page.ts'
import type { SearchPage } from '../documents/site.ts'
import { type FreeRoute, freeRequestsPerMinute } from '../free-route.ts'
import type { Front } from '../front/front.ts'
import { rateLimited, writeRefusal } from '../http/middleware.ts'
import { parseParams } from '../sale/params.ts'
import { type FrontAccess, serveFront } from './front-route.ts'
import { serveStatus } from './status-routes.ts'

type Limits = Readonly<{ publicBaseUrl: string; nowMs: () => EpochMs }>

type Free = Readonly<{ routes: readonly FreeRoute[]; pages: readonly Page[]; search: SearchPage; front: Front }>

export function serveFree(router: Router, { routes, pages, search, front }: Free, limits: Limits & FrontAccess): void {
  const shared = rateLimited(freeRequestsPerMinute, limits)
  serveFront(router, front, { ...limits, limit: shared })
  servePages(router, pages, shared)
  serveSearch(router, search, shared)
  serveStatus(router, { free: routes, limit: shared, ...limits })
  for (const route of routes) {
    const { patterns, perMinute } = route
    const limit = perMinute === undefined ? shared : rateLimited(perMinute, { ...limits, what: String(patterns[0]) })
    const send = route.isFrozen ? sendFrozen(route, limits) : sendNow(route, limits)
    for (const pattern of patterns) router.get(pattern, limit, send)
  }
}

const sendNow =
  ({ answer, params = {} }: FreeRoute, { publicBaseUrl }: Limits) =>
  async (ctx: Context): Promise<void> => {
    const parsed = parseParams(params, { query: ctx.query, path: {} })
    if ('refusal' in parsed) writeRefusal(ctx, parsed.refusal, publicBaseUrl)
    else ctx.body = await answer(parsed.values)
  }

/** Serves the same bytes to all clients, or 304 to a client that already has these bytes. */
function sendFrozen(
  { answer, changesEveryMs = Number.POSITIVE_INFINITY, mediaType = 'application/json' }: FreeRoute,
  { nowMs }: Limits,
) {
  let known: Readonly<{ frozen: Promise<Frozen>; atMs: EpochMs }> | null = null
  return async (ctx: Context): Promise<void> => {
    const atMs = nowMs()
    if (known === null || atMs - known.atMs >= changesEveryMs) known = { frozen: answer({}).then(freeze), atMs }
    const { bytes, etag } = await known.frozen
    ctx.set('Cache-Control', 'public, max-age=60')
    ctx.type = mediaType
    ctx.etag = etag
    ctx.status = 200
    if (has(ctx, etag)) ctx.status = 304
    else ctx.body = bytes
  }
}

/**
 * Returns whether the client already has the document with this ETag. Only `If-None-Match` counts. `fetch`
 * also sends `Cache-Control: no-cache`. This header is ignored, because it is meant for caches between the
 * client and the service.
 */
const has = (ctx: Context, etag: string): boolean =>
  ctx
    .get('If-None-Match')
    .split(',')
    .some((one) => one.trim().replace(/^W\//, '') === `"${etag}"`)

type Frozen = Readonly<{ bytes: Buffer; etag: string }>

function freeze(answer: object): Frozen {
  const bytes = Buffer.from(JSON.stringify(answer))
  return { bytes, etag: createHash('sha256').update(bytes).digest('hex').slice(0, 32) }
}

const pageTypes = {
  html: 'text/html; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  json: 'application/json; charset=utf-8',
} as const

/** Serves the pages of the documentation. Their Content-Security-Policy allows only the pages' own style and script. */
function servePages(router: Router, pages: readonly Page[], limit: Middleware): void {
  for (const { patterns, type = 'html', own, body } of pages) {
    const policy = contentSecurityPolicyOf(own)
    let known: Promise<string> | null = null
    for (const pattern of patterns)
      router.get(pattern, limit, async (ctx) => {
        known ??= body()
        setPage(ctx, type, policy)
        ctx.body = await known
      })
  }
}

const serveSearch = (router: Router, { pattern, body }: SearchPage, limit: Middleware): void =>
  void router.get(pattern, limit, async (ctx) => {
    const { q = '' } = ctx.query
    setPage(ctx, 'html', contentSecurityPolicyOf())
    ctx.body = await body(String(q))
  })

function setPage(ctx: Context, type: keyof typeof pageTypes, policy: string): void {
  ctx.set('Content-Security-Policy', policy)
  ctx.set('Cache-Control', 'public, max-age=60')
  ctx.type = pageTypes[type]
}
