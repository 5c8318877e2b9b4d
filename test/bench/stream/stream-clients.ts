/**
 * A process that reads streams over as many connections as it is told, and says when their events came. It reads sockets itself:
 * a client library for each of a thousand connections would cost more than the server does.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type Streams = Readonly<{
  port: number
  /** Path and query, one connection each. */
  paths: readonly string[]
}>

/** Of all connections, since they were told to begin. `afterKnown`, `afterPublished`: ms until each event came, in order. */
export type StreamsResult = Readonly<{
  events: Readonly<Record<string, number>>
  bytes: number
  /** Connections that were refused or have ended. */
  lost: number
  afterKnown: Float64Array
  afterPublished: Float64Array
}>

const openedAtOnce = 50

/** Says `ready` once every connection has had its first event. Told `begin` it counts from then on, told `end` what it counted. */
export async function runStreamClients(): Promise<void> {
  const [{ port, paths }] = (await once(process, 'message')) as [Streams]
  const count = createCount()
  const sockets: Socket[] = []
  // Not all at once: a server takes 500 that wait.
  for (let from = 0; from < paths.length; from += openedAtOnce) {
    const those = paths.slice(from, from + openedAtOnce)
    const opened = those.map((path, index) => open({ port, path, address: addressOf(from + index) }, count))
    sockets.push(...(await Promise.all(opened)))
  }
  process.send?.('ready')
  for (;;) {
    const [word] = (await once(process, 'message')) as [string]
    if (word === 'begin') count.reset()
    // What is still in the pipe when the process disconnects is lost.
    else await new Promise<void>((resolve) => process.send?.(count.result(), () => resolve()))
    if (word === 'close') break
  }
  for (const socket of sockets) socket.destroy()
  process.disconnect()
}

type Count = ReturnType<typeof createCount>

function createCount() {
  let events: Record<string, number> = {}
  let bytes = 0
  let lost = 0
  let afterKnown: number[] = []
  let afterPublished: number[] = []
  const inOrder = (values: readonly number[]) => Float64Array.from(values).sort()
  return {
    reset() {
      events = {}
      bytes = 0
      afterKnown = []
      afterPublished = []
    },
    lose() {
      lost += 1
    },
    take(text: string, atMs: number) {
      bytes += text.length
      for (const [, name = ''] of text.matchAll(/^event: (\w+)$/gm)) events[name] = (events[name] ?? 0) + 1
      for (const [, known, published] of text.matchAll(/"knownAt":(\d+),"publishedAt":(\d+)/g)) {
        afterKnown.push(atMs - Number(known))
        afterPublished.push(atMs - Number(published))
      }
    },
    result: (): StreamsResult => ({
      ...{ events, bytes, lost },
      afterKnown: inOrder(afterKnown),
      afterPublished: inOrder(afterPublished),
    }),
  }
}

/** Fifty connections come from one address, as a proxy tells. */
const addressOf = (index: number): string => `198.51.100.${Math.floor(index / 50)}`

type Place = Readonly<{ port: number; path: string; address: string }>

/** Resolves with the first event. */
function open({ port, path, address }: Place, count: Count): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1').setNoDelay(true)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: ${address}\r\n\r\n`)
    let text = ''
    let isOpen = false
    socket.on('data', (chunk) => {
      const atMs = performance.timeOrigin + performance.now()
      text += chunk.toString('latin1')
      const end = text.lastIndexOf('\n\n')
      if (end < 0) return
      if (!isOpen && !text.startsWith('HTTP/1.1 200')) return reject(new RangeError(text.slice(0, 400)))
      isOpen = true
      resolve(socket)
      count.take(text.slice(0, end + 2), atMs)
      text = text.slice(end + 2)
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      count.lose()
      reject(new RangeError(`a stream ended before its first event: ${text.slice(0, 400)}`))
    })
  })
}
