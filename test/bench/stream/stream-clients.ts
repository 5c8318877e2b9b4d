/**
 * A process that reads a stream over many connections, and reports the times of the events. It reads sockets directly, because a thousand
 * HTTP clients would cost more than the server.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type Streams = Readonly<{
  port: number
  /** The path and query of each connection. */
  paths: readonly string[]
}>

/**
 * The results of all connections after `begin`. `afterKnown` and `afterPublished` are sorted times in
 * milliseconds until each event arrived.
 */
export type StreamsResult = Readonly<{
  events: Readonly<Record<string, number>>
  bytes: number
  /** The connections that were refused or have ended. */
  lost: number
  afterKnown: Float64Array
  afterPublished: Float64Array
}>

const openedAtOnce = 50

/**
 * Sends `ready` as soon as every connection has received its first event. The message `begin` starts the
 * count, and any other message asks for the result.
 */
export async function runStreamClients(): Promise<void> {
  const [{ port, paths }] = (await once(process, 'message')) as [Streams]
  const count = createCount()
  const sockets: Socket[] = []
  // The connections are opened in groups, because a server queues at most 500 connections.
  for (let from = 0; from < paths.length; from += openedAtOnce) {
    const those = paths.slice(from, from + openedAtOnce)
    const opened = those.map((path, index) => open({ port, path, address: addressOf(from + index) }, count))
    sockets.push(...(await Promise.all(opened)))
  }
  process.send?.('ready')
  for (;;) {
    const [word] = (await once(process, 'message')) as [string]
    if (word === 'begin') count.reset()
    // The result must be sent before the process disconnects, or it is lost.
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

/** Returns the client address that a proxy would report. Fifty connections share an address. */
const addressOf = (index: number): string => `198.51.100.${Math.floor(index / 50)}`

type Place = Readonly<{ port: number; path: string; address: string }>

/** Resolves at the first event. */
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
