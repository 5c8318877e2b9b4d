/** Limits of connections: the number in total and per address, the idle time, and the size of requests. */
import { createServer, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { clientId } from '../http/middleware.ts'
import { createOpenConnections, type OpenConnections } from './open-connections.ts'

/** The maximum size of the headers of a request, in bytes. The largest accepted payment header (12 KB) fits. */
const headerBytesMax = 32_768
const headersMax = 200
/**
 * The maximum length of a request body, in bytes. No route reads a longer body. If a body is longer or its length is
 * unknown, the server closes the connection after the answer.
 */
const bodyBytesMax = 65_536

const serverOptions: ServerOptions = {
  maxHeaderSize: headerBytesMax,
  /**
   * The maximum time until all headers of a request have arrived, in ms. Node counts it from the start of the
   * connection, so a connection that sends nothing is closed too.
   */
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 2_500,
}
/**
 * The time without traffic in both directions after which a connection is closed, in ms. It is longer than
 * the settlement of a payment, which takes less than 100 s.
 */
const silenceMs = 120_000
/**
 * The maximum number of open connections. Each idle connection takes about 10 KB of memory. The stream may have 1,500 of
 * them and the tape of the front page 1,000, so 500 are left for buyers.
 */
const connectionsMax = 3_000
const connectionsOfOneMax = 256
/**
 * The maximum number of requests of one connection that have no answer yet. Node starts all requests of one chunk of
 * bytes before it does other work. No known client sends a request before the previous one is answered.
 */
const pipelinedMax = 8

export type ConnectionLimits = Readonly<{
  /** Whether all connections come from a proxy. The proxy must then limit its clients. */
  isBehindProxy: boolean
  connectionsMax?: number
  connectionsOfOneMax?: number
}>

export function createBoundedServer(listener: RequestListener, limits: ConnectionLimits): Server {
  const most = limits.connectionsMax ?? connectionsMax
  const mostOfOne = limits.isBehindProxy ? most : (limits.connectionsOfOneMax ?? connectionsOfOneMax)
  const open = createOpenConnections({ most, mostOfOne })
  const server = createServer(serverOptions)
  server.maxHeadersCount = headersMax
  server.timeout = silenceMs
  server.on('connection', (socket: Socket) => {
    if (!open.add(socket, clientId(socket.remoteAddress ?? ''))) socket.destroy()
  })
  const bounded = boundRequests(listener, open)
  server.on('request', bounded)
  // A client that sends `Expect: 100-continue` waits for `100 Continue` before it sends the body. For such a request, Node emits
  // `checkContinue` instead of `request`.
  server.on('checkContinue', bounded)
  return server
}

function boundRequests(listener: RequestListener, open: OpenConnections): RequestListener {
  const ofSockets = new WeakMap<Socket, Set<ServerResponse>>()
  return (request, response) => {
    const { socket, headers } = request
    // Node may have read several requests together. If an earlier one destroyed the socket, the later ones
    // are ignored.
    if (socket.destroyed) return
    const underWay = ofSockets.get(socket) ?? follow(socket)
    ofSockets.set(socket, underWay)
    if (underWay.size >= pipelinedMax) return void socket.destroy()
    underWay.add(response)
    open.serving(socket)
    response.once('close', () => {
      if (underWay.delete(response) && underWay.size === 0) open.waiting(socket)
    })
    const isLong = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > bodyBytesMax
    if (isLong || headers.expect !== undefined) response.shouldKeepAlive = false
    listener(request, response)
  }
}

/**
 * Tracks the open responses of a connection. When a connection closes, Node emits `close` only for the response that it
 * is sending. This function also emits `close` for the responses that wait for their turn.
 */
function follow(socket: Socket): Set<ServerResponse> {
  const underWay = new Set<ServerResponse>()
  socket.once('close', () => {
    for (const response of underWay) response.emit('close')
  })
  return underWay
}
