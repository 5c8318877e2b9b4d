/** Limits of connections: their number, in all and per address, their slowness, and the size of what they send. */
import { createServer, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { clientId } from '../http/middleware.ts'
import { createOpenConnections, type OpenConnections } from './open-connections.ts'

/** Leaves room for a payment with extensions of two networks. A payment over 12 KB is refused anyway. */
const headerBytesMax = 32_768
const headersMax = 200
/**
 * No route reads a longer body. A request with a longer body, or one of unknown length, closes its connection with the
 * answer.
 */
const bodyBytesMax = 65_536

const serverOptions: ServerOptions = {
  maxHeaderSize: headerBytesMax,
  /** Counts from the start of the connection, so silent connections end too. */
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 2_500,
}
/** A connection may be idle this long, in both directions. A settlement takes less than 100 s. */
const silenceMs = 120_000
/** An idle connection takes about 10 KB of memory. */
const connectionsMax = 2_000
const connectionsOfOneMax = 256
/**
 * Node handles all requests of one chunk of bytes before anything else. We know no client that sends a second request
 * early.
 */
const pipelinedMax = 8

export type ConnectionLimits = Readonly<{
  /** Behind a proxy all connections come from the proxy, which must limit its clients. */
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
  // The client sends the body only after `100 Continue`.
  server.on('checkContinue', bounded)
  return server
}

function boundRequests(listener: RequestListener, open: OpenConnections): RequestListener {
  const ofSockets = new WeakMap<Socket, Set<ServerResponse>>()
  return (request, response) => {
    const { socket, headers } = request
    // Ignores the requests after a rejected one in the same chunk of bytes.
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

/** Node emits `close` only for the response whose turn it is. This emits it for the responses behind it too. */
function follow(socket: Socket): Set<ServerResponse> {
  const underWay = new Set<ServerResponse>()
  socket.once('close', () => {
    for (const response of underWay) response.emit('close')
  })
  return underWay
}
