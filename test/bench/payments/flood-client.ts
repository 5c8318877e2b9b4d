/**
 * A process that sends requests over a few connections until it is stopped. On each connection, requests are
 * sent one after the other.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type Flood = Readonly<{
  port: number
  connections: number
  /** The paths of the requests. `{random}` is replaced by a new address in each request. */
  paths: readonly string[]
  /** The `X-Forwarded-For` headers of the requests. They are used in turn. */
  addresses: readonly string[]
  /** Default GET. */
  method?: string
  /** Further header lines. Each line must include its line end. */
  headers?: string
  body?: string
  /** Opens a new connection for each request. The server closes this connection after the answer. */
  isConnectingAnew?: boolean
}>

/**
 * The result of a flood of requests. `wallMs` is the time from the first request to the last answer, in
 * milliseconds.
 */
export type FloodResult = Readonly<{ wallMs: number; statuses: Readonly<Record<string, number>> }>

/**
 * Waits for a message that describes a flood of requests, starts that flood and sends `begun`. Any further
 * message ends the flood, and the result is sent.
 */
export async function runFloodClient(): Promise<void> {
  for (;;) {
    const [flood] = (await once(process, 'message')) as [Flood]
    process.send?.(await run(flood))
  }
}

async function run(flood: Flood): Promise<FloodResult> {
  const { port, connections, paths, addresses, method = 'GET', isConnectingAnew = false } = flood
  const [headers, body] = [flood.headers ?? '', flood.body ?? '']
  const sockets = Array.from({ length: connections }, () => connect(port, '127.0.0.1').setNoDelay(true))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  process.send?.('begun')
  const statuses: Record<string, number> = {}
  let asked = 0
  let isOver = false
  const nextRequest = (): string | null => {
    if (isOver) return null
    asked += 1
    const path = paths[asked % paths.length]?.replace('{random}', `0x${randomHex(40)}`)
    const address = addresses[asked % addresses.length]
    return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: ${address}\r\n${headers}\r\n${body}`
  }
  const startedAtMs = performance.now()
  const ended = sockets.map((socket) =>
    isConnectingAnew ? askAnew(port, nextRequest, statuses) : askOn(socket, nextRequest, statuses),
  )
  await once(process, 'message')
  isOver = true
  await Promise.all(ended)
  const wallMs = performance.now() - startedAtMs
  for (const socket of sockets) socket.destroy()
  return { wallMs, statuses }
}

const randomHex = (digits: number): string =>
  Array.from({ length: digits / 8 }, () =>
    Math.floor(Math.random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  ).join('')

async function askAnew(port: number, next: () => string | null, statuses: Record<string, number>): Promise<void> {
  for (let request = next(); request !== null; request = next()) {
    const socket = connect(port, '127.0.0.1').setNoDelay(true)
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.on('error', () => {})
    socket.write(request)
    await once(socket, 'close')
    const status = text.slice(9, 12) || 'closed'
    statuses[status] = (statuses[status] ?? 0) + 1
  }
}

function isWhole(text: string, head: number, isHead: boolean): boolean {
  if (isHead || text.startsWith('HTTP/1.1 204')) return true
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, head))?.[1]
  return length === undefined ? text.endsWith('\r\n0\r\n\r\n') : text.length >= head + 4 + Number(length)
}

function askOn(socket: Socket, next: () => string | null, statuses: Record<string, number>): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = ''
    let isHead = false
    const ask = () => {
      const request = next()
      isHead = request?.startsWith('HEAD') ?? false
      if (request === null) resolve()
      else socket.write(request)
    }
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const head = text.indexOf('\r\n\r\n')
      if (head < 0) return
      if (!isWhole(text, head, isHead)) return
      const status = text.slice(9, 12)
      statuses[status] = (statuses[status] ?? 0) + 1
      text = ''
      ask()
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new RangeError('the server has closed a connection')))
    ask()
  })
}
