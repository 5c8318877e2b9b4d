/**
 * Middleware for all requests: headers for browsers, the single place that writes refusals, and the limits of free
 * routes.
 */
import { randomUUID } from 'node:crypto'
import cors from '@koa/cors'
import type { Context, Middleware, Next } from 'koa'
import helmet from 'koa-helmet'
import type { EpochMs } from '../../schemas/units.ts'
import { createRecentCounts } from '../recent-counts.ts'
import { type Refusal, refusalBody, refuse } from '../sale/refusals.ts'
import type { FailureLog } from './failure-log.ts'

/**
 * Answers cross-origin requests. x402's official browser client sends `Access-Control-Expose-Headers` as a request
 * header, so this header must be allowed. Otherwise every payment from a browser fails at its preflight.
 */
export const crossOrigin: Middleware = cors({
  allowMethods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
  allowHeaders: [
    ...['PAYMENT-SIGNATURE', 'X-PAYMENT', 'Access-Control-Expose-Headers', 'Content-Type', 'Last-Event-ID'],
    'Accept-Signature',
    ...['MCP-Protocol-Version', 'Mcp-Session-Id', 'Mcp-Method', 'Mcp-Name'],
  ],
  exposeHeaders: [
    ...['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE', 'Retry-After', 'X-Request-Id', 'Age'],
    ...['Answer-Cut', 'Content-Digest', 'Signature-Input', 'Signature', 'Mcp-Session-Id'],
  ],
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

/** Logs an unexpected error and returns a refusal, which does not contain the cause. */
export type FailureReport = (ctx: Context, error: unknown) => Refusal

export function createFailureReport(log: FailureLog): FailureReport {
  return ({ response, method, path }, error) => {
    const requestId = response.get('X-Request-Id')
    log({ err: error, requestId, method, path }, 'request failed')
    return refuse(
      'internal',
      `something failed in the service. Nothing was charged. Try again. The id of this request is ${requestId}`,
    )
  }
}

/** Gives each request an id and answers every thrown error with `internal`. */
export function guarded(report: FailureReport, publicBaseUrl: string): Middleware {
  return async (ctx, next) => {
    ctx.set('X-Request-Id', randomUUID())
    try {
      await next()
    } catch (error) {
      writeRefusal(ctx, report(ctx, error), publicBaseUrl)
    }
  }
}

/** Limits each address to `perMinute` requests a minute. `what`: the limited routes, for the text of the refusal. */
export function createLimit(perMinute: number, { nowMs, what = 'free routes' }: Limit) {
  const counts = createRecentCounts({ generationMs: 30_000, nowMs })
  return (address: string): Refusal | null => {
    if (counts.count(address) < perMinute) {
      counts.add(address)
      return null
    }
    const error = `your address sent too many requests. The limit for ${what} is ${perMinute} requests a minute from one address. Wait, then try again`
    return refuse('rate_limited', error, counts.forgottenInMs() / 1000)
  }
}

type Limit = Readonly<{ nowMs: () => EpochMs; what?: string }>

export function rateLimited(
  perMinute: number,
  { publicBaseUrl, ...limit }: Limit & Readonly<{ publicBaseUrl: string }>,
) {
  const judge = createLimit(perMinute, limit)
  return (ctx: Context, next: Next): Promise<void> | void => {
    const refusal = judge(clientId(ctx.ip))
    return refusal === null ? next() : writeRefusal(ctx, refusal, publicBaseUrl)
  }
}

/**
 * Identifies a client by its IPv4 address, or by the /64 of its IPv6 address, because one customer usually owns a whole /64. An IPv4
 * address may be mapped into IPv6.
 */
export function clientId(ip: string): string {
  const plain = ip.replace(/^::ffff:(?=\d+\.)/i, '')
  return groupsOf(plain).slice(0, 4).join(':')
}

/**
 * Returns the eight groups of an IPv6 address. Returns a single group if the text has no colon: an IPv4 address, or
 * other text from a proxy.
 */
function groupsOf(ip: string): string[] {
  const gap = ip.indexOf('::')
  if (gap < 0) return ip.split(':')
  const before = gap === 0 ? [] : ip.slice(0, gap).split(':')
  // If the text ends with `::`, the empty string after it counts as one group. This does not change the first
  // four groups, which `clientId` uses.
  const after = ip.slice(gap + 2).split(':')
  return [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after]
}
