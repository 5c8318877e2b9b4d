/**
 * An HTTP server on a real socket. For each request, the test chooses which answer or fault the server sends.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Answer =
  | Readonly<{ status?: number; body: string; headers?: Readonly<Record<string, string>> }>
  /** Accepts the request and sends nothing. */
  | 'silent'
  /** Ends the connection in the middle of the body. */
  | 'cut'

export type AnsweringServer = Readonly<{ url: string; stop(): Promise<void> }>

export async function startAnswering(
  answerTo: (request: Readonly<{ path: string; body: string }>) => Answer,
): Promise<AnsweringServer> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const answer = answerTo({ path: request.url ?? '', body })
    if (answer === 'silent') return
    if (answer === 'cut') {
      response.writeHead(200, { 'content-length': 100 })
      response.write('{"', () => request.socket.destroy())
      return
    }
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers })
    response.end(answer.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
