/** What every request passes: headers for browsers, the one place that writes refusals, the limit of free routes. */
import { randomUUID } from 'node:crypto'
import cors from '@koa/cors'
import type { Context, Middleware, Next } from 'koa'
import helmet from 'koa-helmet'
import type { Logger } from '../../infra/telemetry.ts'
import { createRecentCounts } from '../recent-counts.ts'
import { type Refusal, refusalBody, refuse } from '../sale/refusals.ts'

/**
 * The official browser client sends `Access-Control-Expose-Headers` as a request header, so a preflight that does not
 * allow it fails every payment from a browser.
 */
export const crossOrigin: Middleware = cors({
  allowMethods: ['GET', 'HEAD', 'OPTIONS'],
  allowHeaders: ['PAYMENT-SIGNATURE', 'X-PAYMENT', 'Access-Control-Expose-Headers', 'Content-Type', 'Last-Event-ID'],
  exposeHeaders: ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE', 'Retry-After', 'X-Request-Id', 'Age'],
  maxAge: 86_400,
})

export const securityHeaders: Middleware = helmet({
  crossOriginResourcePolicy: { policy: 'cross-origin' },
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
})

export function writeRefusal(ctx: Context, refusal: Refusal, publicBaseUrl: string): void {
  ctx.status = refusal.status
  ctx.set('Cache-Control', 'no-store')
  if (refusal.retryAfterSec !== undefined) ctx.set('Retry-After', String(refusal.retryAfterSec))
  ctx.body = refusalBody(refusal, publicBaseUrl)
}

/** Of requests that failed, this many of a second are logged: while the tables are away, each request fails. */
const loggedMax = 20

/** Gives each request an id. Whatever is thrown becomes `internal`, and its cause stays out of the answer. */
export function guarded(logger: Logger, publicBaseUrl: string): Middleware {
  const logged = createRecentCounts({ generationMs: 500, nowMs: performance.now.bind(performance) })
  return async (ctx, next) => {
    const requestId = randomUUID()
    ctx.set('X-Request-Id', requestId)
    try {
      await next()
    } catch (error) {
      if (logged.count('') < loggedMax) {
        logged.add('')
        logger.error({ err: error, requestId, method: ctx.method, path: ctx.path }, 'request failed')
      }
      writeRefusal(
        ctx,
        refuse('internal', `something failed on our side; nothing was charged. Request ${requestId}`),
        publicBaseUrl,
      )
    }
  }
}

/** At most `perMinute` requests of one address in a minute; `what`: of which routes. */
export function rateLimited(perMinute: number, { publicBaseUrl, nowMs, what = 'free routes answer' }: RateLimit) {
  const counts = createRecentCounts({ generationMs: 30_000, nowMs })
  return (ctx: Context, next: Next): Promise<void> | void => {
    const address = clientId(ctx.ip)
    if (counts.count(address) < perMinute) {
      counts.add(address)
      return next()
    }
    const error = `${what} ${perMinute} requests a minute per address; wait and try again`
    writeRefusal(ctx, refuse('rate_limited', error, counts.forgottenInMs() / 1000), publicBaseUrl)
  }
}

type RateLimit = Readonly<{ publicBaseUrl: string; nowMs: () => number; what?: string }>

/** An IPv4 address, mapped or not; of an IPv6 address its /64, which one customer owns as a whole. */
export function clientId(ip: string): string {
  const plain = ip.replace(/^::ffff:(?=\d+\.)/i, '')
  return groupsOf(plain).slice(0, 4).join(':')
}

/** The eight groups of an IPv6 address, and one of anything without colons. What a proxy hands on may be no address at all. */
function groupsOf(ip: string): string[] {
  const gap = ip.indexOf('::')
  if (gap < 0) return ip.split(':')
  const before = gap === 0 ? [] : ip.slice(0, gap).split(':')
  // Nothing behind the gap counts as a group, which changes none of the first four.
  const after = ip.slice(gap + 2).split(':')
  return [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after]
}
