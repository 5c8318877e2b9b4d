/**
 * A process that sends requests over a few open connections and reports the time. It uses sockets directly.
 * An HTTP client would cost more than the server, so the measurement would show the client.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type Load = Readonly<{
  port: number
  /** The paths, used in turns. */
  path: readonly string[]
  /** One entry per request. The entry is the PAYMENT-SIGNATURE header, or null for no header. */
  payments: readonly (string | null)[]
  connections: number
}>

/** `bytes` is the number of bytes of all bodies. A status other than 200 counts as failed. */
export type LoadResult = Readonly<{ wallMs: number; bytes: number; failed: number }>

type Total = { bytes: number; failed: number }

/** Connects and sends `ready`. Any message then starts the requests. At the end, sends the result. */
export async function runLoadClient(): Promise<void> {
  for (;;) {
    const [load] = (await once(process, 'message')) as [Load]
    process.send?.(await send(load))
  }
}

async function send({ port, path, payments, connections }: Load): Promise<LoadResult> {
  const requests = payments.map((payment, index) => requestOf(path[index % path.length] ?? '/', payment))
  const total: Total = { bytes: 0, failed: 0 }
  const sockets = Array.from({ length: connections }, () => connect(port, '127.0.0.1').setNoDelay(true))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  process.send?.('ready')
  await once(process, 'message')
  const waiting = requests.values()
  const startedAtMs = performance.now()
  await Promise.all(sockets.map((socket) => sendOn(socket, waiting, total)))
  const wallMs = performance.now() - startedAtMs
  for (const socket of sockets) socket.destroy()
  return { wallMs, ...total }
}

function requestOf(path: string, payment: string | null): Buffer {
  const header = payment === null ? '' : `PAYMENT-SIGNATURE: ${payment}\r\n`
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${header}\r\n`)
}

/** Sends requests on one connection, one after the other, until no request is left. */
function sendOn(socket: Socket, waiting: Iterator<Buffer>, total: Total): Promise<void> {
  return new Promise((resolve, reject) => {
    const sendNext = () => {
      const { done, value } = waiting.next()
      if (done) resolve()
      else socket.write(value)
    }
    const answer = createAnswerReader((status, bytes) => {
      total.bytes += bytes
      if (status !== 200) total.failed += 1
      sendNext()
    })
    socket.on('data', answer)
    socket.on('error', reject)
    socket.on('close', () => reject(new RangeError('the server has closed a connection')))
    sendNext()
  })
}

const headEnd = '\r\n\r\n'

/** Reads responses one after the other. Each response must have a Content-Length. */
function createAnswerReader(onAnswer: (status: number, bytes: number) => void): (chunk: Buffer) => void {
  let head: Buffer = Buffer.alloc(0)
  let status = 0
  let length = 0
  let missing = 0
  return (chunk) => {
    if (missing > 0) missing -= chunk.length
    else {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
      const end = head.indexOf(headEnd)
      if (end < 0) return
      const text = head.toString('latin1', 0, end)
      status = Number(text.slice(9, 12))
      length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? Number.NaN)
      missing = length - (head.length - end - headEnd.length)
      head = Buffer.alloc(0)
    }
    if (missing === 0) onAnswer(status, length)
  }
}
