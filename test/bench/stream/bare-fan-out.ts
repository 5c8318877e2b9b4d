/**
 * A server that does only the minimum of a push. It writes Server-Sent Events of one size to every open
 * response.
 */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type BareFanOut = Readonly<{ port: number; push(): void; close(): void }>

/** `bytes` is the size of an event. */
export async function startBareFanOut(bytes: number): Promise<BareFanOut> {
  const open = new Set<ServerResponse>()
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    response.write('event: hello\ndata: {}\n\n')
    open.add(response)
    response.once('close', () => open.delete(response))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const filler = 'x'.repeat(Math.max(0, bytes - 90))
  return {
    port: (server.address() as AddressInfo).port,
    push() {
      const nowMs = Date.now()
      const event = `event: burst\ndata: {"knownAt":${nowMs},"publishedAt":${nowMs},"row":"${filler}"}\n\n`
      for (const response of open) response.write(event)
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
