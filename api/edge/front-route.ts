/** Serves the front page to browsers at `/`, and its tape at `/tape`. Programs get JSON at `/`. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type Router from '@koa/router'
import type { Context, Middleware, Next } from 'koa'
import { contentSecurityPolicyOf } from '../documents/page.ts'
import type { Front, Rendered } from '../front/front.ts'
import { noTokenPages } from '../front/no-token.ts'
import { clientId, writeRefusal } from '../http/middleware.ts'
import { isClientGone } from '../x402-koa/answer-paid.ts'
import { openOutlet, writeHead } from './stream-route.ts'

export type FrontAccess = Readonly<{
  /** The key with which the operator sees the newest data. Default: nobody does. */
  operatorKey?: string | undefined
}>

type Limits = FrontAccess & Readonly<{ publicBaseUrl: string; limit: Middleware }>

export function serveFront(router: Router, front: Front, { publicBaseUrl, limit, operatorKey }: Limits): void {
  const viewOf = (ctx: Context) => (isOperator(ctx, operatorKey) ? front.live : front.delayed)

  router.get('/', async (ctx: Context, next: Next) => {
    ctx.vary('Accept')
    ctx.vary('Accept-Encoding')
    if (ctx.accepts('json', 'html') !== 'html') return next()
    return limit(ctx, async () => {
      // A chain that is not there limits nothing. The page says which chains it shows.
      const chain = front.chains.find((name) => name === ctx.query.chain) ?? null
      const view = viewOf(ctx)
      ctx.set('Content-Security-Policy', front.contentSecurityPolicy)
      ctx.set('Cache-Control', view === front.live ? 'no-store' : 'public, max-age=10')
      sendPage(ctx, await view.page(chain))
    })
  })
  router.get('/tokens/:token', limit, async (ctx: Context) => {
    ctx.vary('Accept-Encoding')
    const view = viewOf(ctx)
    const page = await view.token(String(ctx.params.token))
    if (typeof page === 'string') return sendNoToken(ctx, page)
    ctx.set('Content-Security-Policy', front.tokenContentSecurityPolicy)
    ctx.set('Cache-Control', view === front.live ? 'no-store' : 'public, max-age=10')
    sendPage(ctx, page)
  })
  router.get('/tape', limit, (ctx: Context) => {
    if (isClientGone(ctx)()) return
    if (ctx.method === 'HEAD') return writeHead(ctx, 'text/event-stream')
    const refusal = viewOf(ctx).tape.subscribe(clientId(ctx.ip), () => openOutlet(ctx, 'text/event-stream'))
    if (refusal !== null) writeRefusal(ctx, refusal, publicBaseUrl)
  })
}

function sendPage(ctx: Context, { html, gzip }: Rendered): void {
  ctx.type = 'text/html; charset=utf-8'
  const isCompressed = ctx.acceptsEncodings('gzip', 'identity') === 'gzip'
  if (isCompressed) ctx.set('Content-Encoding', 'gzip')
  ctx.body = isCompressed ? gzip : html
}

function sendNoToken(ctx: Context, why: 'unknown' | 'busy'): void {
  ctx.status = why === 'busy' ? 503 : 404
  if (why === 'busy') ctx.set('Retry-After', '5')
  ctx.set('Content-Security-Policy', contentSecurityPolicyOf())
  ctx.set('Cache-Control', 'no-store')
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = noTokenPages[why]
}

/**
 * Whether the request has the operator's key and comes from the machine of the service. A proxy on this machine adds
 * `X-Forwarded-For` for the requests of others. Without the key, a page is 15 minutes behind, and says so.
 */
function isOperator(ctx: Context, key: string | undefined): boolean {
  const { operator } = ctx.query
  const isHere = /^(::1$|(::ffff:)?127\.)/.test(ctx.req.socket.remoteAddress ?? '')
  if (key === undefined || !isHere || ctx.get('X-Forwarded-For') !== '' || typeof operator !== 'string') return false
  return timingSafeEqual(digestOf(operator), digestOf(key))
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()
