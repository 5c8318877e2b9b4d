/** A proxy before the service. It passes paid requests on, waits for the whole answer, and then cuts its connection. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Random } from '../../../../ingest/simulated/random.ts'

const moments = ['beforeHeaders', 'inHeaders', 'inBody', 'badGateway'] as const

export type CutProxy = Readonly<{
  url: string
  /** The number of cuts at each moment. */
  cuts: Record<(typeof moments)[number], number>
  /** The number of requests with a payment. */
  paid: { count: number }
  stop(): void
}>

/** The share of repeated payments whose answer is cut again. The first answer to a payment is always cut. */
const againRatio = 1 / 3

export async function startCutProxy(serviceUrl: string, random: Random): Promise<CutProxy> {
  const cuts = { beforeHeaders: 0, inHeaders: 0, inBody: 0, badGateway: 0 }
  const seen = new Set<string>()
  const paid = { count: 0 }
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const payment = request.headers['payment-signature']
    const headers = typeof payment === 'string' ? { 'PAYMENT-SIGNATURE': payment } : {}
    const answer = await fetch(serviceUrl + request.url, { headers })
    const bytes = Buffer.from(await answer.arrayBuffer())
    const isCut = typeof payment === 'string' && (!seen.has(payment) || random.chance(againRatio))
    if (typeof payment === 'string') {
      seen.add(payment)
      paid.count += 1
    }
    if (!isCut || answer.status !== 200) return sendWhole(response, answer, bytes)
    const moment = moments[random.whole(0, moments.length - 1)] ?? 'inBody'
    cuts[moment] += 1
    cutAt[moment](response, bytes, random)
  }
  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    ...{ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cuts, paid },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const head = (length: number) =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nCache-Control: private\r\n\r\n`

type Cut = (response: ServerResponse, bytes: Buffer, random: Random) => void

/** Writes the beginning of a response to the socket, and then closes it. */
const begin = (response: ServerResponse, beginning: Buffer | string) =>
  void response.socket?.write(beginning, () => response.socket?.destroy())

const cutAt: Readonly<Record<(typeof moments)[number], Cut>> = {
  beforeHeaders: (response) => void response.socket?.destroy(),
  inHeaders: (response, bytes, random) => {
    const text = head(bytes.length)
    begin(response, text.slice(0, random.whole(1, text.length - 1)))
  },
  inBody: (response, bytes, random) => {
    const sent = bytes.subarray(0, random.whole(0, bytes.length - 1))
    begin(response, Buffer.concat([Buffer.from(head(bytes.length)), sent]))
  },
  badGateway: (response) => {
    response.writeHead(502)
    response.end('<html>Bad Gateway</html>')
  },
}

function sendWhole(response: ServerResponse, answer: Response, bytes: Buffer): void {
  const names = ['content-type', 'payment-required', 'payment-response', 'retry-after']
  for (const name of names) {
    const value = answer.headers.get(name)
    if (value !== null) response.setHeader(name, value)
  }
  response.writeHead(answer.status)
  response.end(bytes)
}
