/** A client of the stream that begins to read when `wake` is called. */
import { connect, type Socket } from 'node:net'

export type StreamPlace = Readonly<{ port: number; address: string; token: string }>

export type StreamReader = Readonly<{
  isOpen: () => boolean
  /** Begins to read. */
  wake: () => void
  /**
   * What the client has read. `next` is the number of the expected burst, from 1 on. `missed` is the number
   * of missing bursts.
   */
  read: Readonly<{ isGreeted: boolean; next: number; missed: number; bye: string | null; latestMs: number }>
  close: () => void
}>

/** Resolves when the client is connected. */
export async function startStreamReader({ port, address, token }: StreamPlace): Promise<StreamReader> {
  const socket = await connectFrom(address, port)
  const read = { isGreeted: false, next: 1, missed: 0, bye: null as string | null, latestMs: 0 }
  let rest = ''
  let isOpen = true
  socket.on('close', () => {
    isOpen = false
  })
  socket.on('error', () => {})
  const take = (chunk: Buffer) => {
    const text = rest + chunk.toString('latin1')
    const last = text.lastIndexOf('\n\n')
    const end = last < 0 ? 0 : last + 2
    rest = text.slice(end)
    note(text.slice(0, end))
  }
  const note = (text: string) => {
    read.isGreeted ||= text.includes('event: hello')
    for (const [, id = '', publishedAt] of text.matchAll(/"token":"0x([0-9a-f]{40})".*?"publishedAt":(\d+)/g)) {
      const number = Number.parseInt(id, 16)
      read.missed += number - read.next
      read.next = number + 1
      read.latestMs = Math.max(read.latestMs, Date.now() - Number(publishedAt))
    }
    read.bye ??= /"type":"bye".*?"reason":"(\w+)"/.exec(text)?.[1] ?? null
  }
  socket.write(`GET /v1/sol/bursts/stream?token=${token} HTTP/1.1\r\nHost: a\r\n\r\n`)
  return {
    isOpen: () => isOpen,
    wake: () => void socket.on('data', take).resume(),
    read,
    close: () => socket.destroy(),
  }
}

function connectFrom(localAddress: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, localAddress })
    socket.pause()
    socket.once('connect', () => resolve(socket)).once('error', reject)
  })
}
