import type { Context } from 'koa'
import { clientId } from '../http/middleware.ts'
import type { Refusal } from '../sale/refusals.ts'
import type { Outlet } from '../stream/clients.ts'
import type { StreamRoute } from '../stream-route.ts'
import { isClientGone } from '../x402-koa/answer-paid.ts'

/**
 * Answers GET with events until one side ends the connection, and HEAD with the headers of GET. Returns the refusal if
 * the client may not read the stream.
 */
export async function serveStream(ctx: Context, stream: StreamRoute): Promise<Refusal | null> {
  const { token, from, resume } = ctx.query
  const client = { token, from, resume, lastEventId: ctx.get('Last-Event-ID'), address: clientId(ctx.ip) }
  const isGone = isClientGone(ctx)
  if (isGone()) return null
  if (ctx.method !== 'HEAD')
    return stream.subscribe(client, () => (isGone() ? null : openOutlet(ctx, stream.contentType)))
  const refusal = await stream.refusalOf(client)
  if (refusal === null) writeHead(ctx, stream.contentType)
  return refusal
}

/** Writes the status and the headers of a response with events. */
export function writeHead(ctx: Context, contentType: string): void {
  ctx.status = 200
  ctx.type = contentType
  // Proxies must not buffer, transform or cache the events.
  ctx.set('Cache-Control', 'no-store, no-transform')
  ctx.set('X-Accel-Buffering', 'no')
}

/** Opens a response for events that does not end by itself. */
export function openOutlet(ctx: Context, contentType: string): Outlet {
  const { res } = ctx
  writeHead(ctx, contentType)
  ctx.respond = false
  // Turns chunked encoding off, so that all clients get the same bytes. The end of the connection then marks
  // the end of the body.
  res.useChunkedEncodingByDefault = false
  res.shouldKeepAlive = false
  return {
    send: (bytes) => void res.write(bytes),
    waitingBytes: () => res.writableLength,
    finish: (bytes) => void res.end(bytes),
    // `res.socket` is not used, because a response that waits for its turn on the connection has no socket
    // yet. The connection is reset, because the operating system then frees the megabytes that it buffers for
    // a slow client. After a normal close, the system keeps them for minutes.
    destroy: () => void ctx.req.socket.resetAndDestroy(),
    onceClosed: (listener) => void res.once('close', listener),
  }
}
