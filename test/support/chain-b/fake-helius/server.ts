/**
 * Runs a fake Helius or plain node over real sockets. JSON-RPC goes over HTTP, and the transaction
 * subscription goes over a websocket.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocketServer } from 'ws'
import { answer, type View } from './answers.ts'
import type { FakeBlock, FakeChain } from './chain.ts'
import type { Faults } from './faults.ts'
import { createSender } from './sender.ts'

export type FakeHelius = Readonly<{
  url: string
  wsUrl: string
  /** Sends the transactions of new blocks to the subscribers. */
  announce(blocks: readonly FakeBlock[]): void
  /** The number of requests, by method. */
  calls: ReadonlyMap<string, number>
  /** The number of transactions that were sent to subscribers. */
  sentCount(): number
  stop(): Promise<void>
}>

type FakeOptions = Readonly<{
  chain: FakeChain
  faults: Faults
  isHelius: boolean
  /** Returns the delay of a request in milliseconds. By default, there is no delay. */
  takesMs?: () => number
  /**
   * The maximum number of entries in a page, even if the client requests more. By default, it is a small
   * random number.
   */
  pageCount?: number
}>

export async function startFakeHelius(options: FakeOptions): Promise<FakeHelius> {
  const { faults } = options
  const calls = new Map<string, number>()
  const server = createServer((request, response) => {
    respond(options, { request, response, calls }).catch(() => response.destroy())
  })
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    if (faults.draw('refusedSockets', 0.2)) return void socket.destroy()
    sockets.handleUpgrade(request, socket, head, (opened) => sender.accept(opened))
  })
  const sender = createSender(options)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/?api-key=a-secret-key`,
    wsUrl: `ws://127.0.0.1:${port}/?api-key=a-secret-key`,
    announce: sender.announce,
    calls,
    sentCount: sender.sentCount,
    stop: async () => {
      for (const socket of sockets.clients) socket.terminate()
      await close(server)
    },
  }
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}

type Exchange = Readonly<{ request: IncomingMessage; response: ServerResponse; calls: Map<string, number> }>
type Call = Readonly<{ id: unknown; method: string; params: readonly unknown[] }>

async function respond(options: FakeOptions, { request, response, calls }: Exchange): Promise<void> {
  const { faults, takesMs } = options
  const { id, method, params = [] } = JSON.parse(await textOf(request)) as Call
  calls.set(method, (calls.get(method) ?? 0) + 1)
  const send = (status: number, body: string) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(body)
  }
  if (faults.draw('silent', 0.003)) return
  if (takesMs) await sleep(takesMs())
  if (faults.draw('dropped', 0.02)) return void request.socket.destroy()
  if (faults.draw('busy', 0.02))
    return send(429, '{"jsonrpc":"2.0","error":{"code":429,"message":"Too many requests"}}')
  if (faults.draw('failed', 0.02)) return send(503, 'no such luck')
  const found = answerWith(options, method, params)
  const body = JSON.stringify({ jsonrpc: '2.0', id, ...found })
  if (!faults.draw('cut', 0.02)) return send(200, body)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.write(body.slice(0, body.length / 2), () => request.socket.destroy())
}

function answerWith(options: FakeOptions, method: string, params: readonly unknown[]) {
  const { faults, isHelius } = options
  if (faults.draw('internal', 0.01)) return { error: { code: -32_603, message: 'internal error' } }
  if (method === 'getTransactionsForAddress' && !isHelius)
    return { error: { code: -32_601, message: 'Method not found' } }
  return answer(viewOf(options), method, params)
}

/**
 * Returns the state that the node shows to one request. The node can be behind other nodes, and its lists of
 * an address's transactions can be behind its blocks.
 */
function viewOf({ chain, faults, pageCount }: FakeOptions): View {
  const slots = chain.blocks().map(({ slot }) => slot)
  const { random } = faults
  const headSlot = slots.at(faults.draw('behind', 0.05) ? -random.whole(2, 4) : -1) ?? 0
  const writtenSlot = slots.at(faults.draw('unlisted', 0.3) ? -random.whole(2, 3) : -1) ?? 0
  // A node lists no blocks that it does not have.
  const listedSlot = Math.min(writtenSlot, headSlot)
  return { chain, headSlot, listedSlot, pageCount: pageCount ?? random.whole(5, 20) }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}
