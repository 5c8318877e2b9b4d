/** The stream over HTTP. */
import type { Context } from 'koa'
import { clientId } from '../http/middleware.ts'
import type { Refusal } from '../sale/refusals.ts'
import type { Outlet } from '../stream/clients.ts'
import type { StreamRoute } from '../stream-route.ts'
import { isClientGone } from '../x402-koa/answer-paid.ts'

/** Answers with events until one side ends them; HEAD with what GET would begin with. */
export function serveStream(ctx: Context, stream: StreamRoute): Refusal | null {
  const client = { token: ctx.query.token, address: clientId(ctx.ip) }
  if (isClientGone(ctx)()) return null
  if (ctx.method !== 'HEAD') return stream.subscribe(client, () => openOutlet(ctx, stream.contentType))
  const refusal = stream.refusalOf(client)
  if (refusal === null) writeHead(ctx, stream.contentType)
  return refusal
}

function writeHead(ctx: Context, contentType: string): void {
  ctx.status = 200
  ctx.type = contentType
  // What stands between must neither keep, change nor hold back what is pushed.
  ctx.set('Cache-Control', 'no-store, no-transform')
  ctx.set('X-Accel-Buffering', 'no')
}

function openOutlet(ctx: Context, contentType: string): Outlet {
  const { res } = ctx
  writeHead(ctx, contentType)
  ctx.respond = false
  // The end of the connection ends the body: no bytes stand around those that all clients share.
  res.useChunkedEncodingByDefault = false
  res.shouldKeepAlive = false
  return {
    send: (bytes) => void res.write(bytes),
    waitingBytes: () => res.writableLength,
    finish: (bytes) => void res.end(bytes),
    // Not the response: one that waits for its turn on the connection has none. A reset frees what the system holds for a client
    // that does not read, which is megabytes; a closed connection would keep it for minutes.
    destroy: () => void ctx.req.socket.resetAndDestroy(),
    onceClosed: (listener) => void res.once('close', listener),
  }
}
