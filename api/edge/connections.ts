/** What connections may do: how many there are, of one address too, how slow they may be, and what they may send. */
import { createServer, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { clientId } from '../http/middleware.ts'
import { createOpenConnections, type OpenConnections } from './open-connections.ts'

/** Room for a payment with extensions of two networks; payments over 12 KB are refused anyway. */
const headerBytesMax = 32_768
const headersMax = 200
/** No route reads a longer body. After one, or one of unknown length, the connection is closed with the answer. */
const bodyBytesMax = 65_536

const serverOptions: ServerOptions = {
  maxHeaderSize: headerBytesMax,
  /** From the connection on, so silent ones end too. */
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 2_500,
}
/** Nothing sent or read for this long. A settlement is waited for less than 100 s. */
const silenceMs = 120_000
/** An idle connection holds some 10 KB. */
const connectionsMax = 2_000
const connectionsOfOneMax = 256
/** Node handles all requests of a chunk of bytes before anything else. No client that we know sends a second one early. */
const pipelinedMax = 8

export type ConnectionLimits = Readonly<{
  /** Behind a proxy all connections are the proxy's, which has to bound its clients. */
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
  // Without `100 Continue` the body is not sent.
  server.on('checkContinue', bounded)
  return server
}

function boundRequests(listener: RequestListener, open: OpenConnections): RequestListener {
  const ofSockets = new WeakMap<Socket, Set<ServerResponse>>()
  return (request, response) => {
    const { socket, headers } = request
    // What stood in the same chunk as the request that was one too many.
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

/** Node closes the response whose turn it is. Those that wait behind it would never be told, and be waited for for ever. */
function follow(socket: Socket): Set<ServerResponse> {
  const underWay = new Set<ServerResponse>()
  socket.once('close', () => {
    for (const response of underWay) response.emit('close')
  })
  return underWay
}
