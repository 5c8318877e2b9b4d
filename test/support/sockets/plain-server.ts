/** Runs an HTTP server on a free port. The test gives the answers. */
import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type PlainServer = Readonly<{ url: string; stop: () => Promise<void> }>

export async function startPlainServer(answer: RequestListener): Promise<PlainServer> {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const chunk = Buffer.alloc(65_536, 'x')

/**
 * Sends text as fast as the client reads, until `bytes` bytes are sent or the connection closes. Returns the
 * number of bytes sent.
 */
export async function sendText(response: ServerResponse, bytes = Number.POSITIVE_INFINITY): Promise<number> {
  let sent = 0
  const closed = once(response, 'close')
  while (sent < bytes && !response.destroyed) {
    sent += chunk.length
    if (!response.write(chunk)) await Promise.race([once(response, 'drain'), closed])
  }
  response.end()
  return sent
}
