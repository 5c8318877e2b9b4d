/**
 * Serves JSON-RPC 2.0 over HTTP, as a node does. The server listens only on loopback. Web pages of any origin
 * may call the server, so browser wallets can use it.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type ServedRpc = Readonly<{ url: string; stop: () => Promise<void> }>

/** Answers the call of a JSON-RPC method. Null if there is no such method. */
export type AnswerRpc = (method: string, params: readonly unknown[]) => Readonly<{ result: unknown }> | null

type RpcRequest = Readonly<{ id?: unknown; method?: unknown; params?: unknown }>

/** The error code of a failed call. For this code, clients read the reason from `data.err`. */
const refusedCode = -32_002
const bodyBytesMax = 65_536
const requestsMax = 100

export async function serveJsonRpc(answer: AnswerRpc): Promise<ServedRpc> {
  const server = createServer((request, response) => {
    if (request.method === 'OPTIONS') return void response.writeHead(204, allowed).end()
    handle(answer, request).then(
      (body) => send(response, 200, body),
      () => send(response, 400, { error: 'the body is not a JSON-RPC request' }),
    )
  })
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

async function handle(answer: AnswerRpc, request: IncomingMessage): Promise<unknown> {
  const body = JSON.parse(await readText(request)) as RpcRequest | readonly RpcRequest[]
  if (!Array.isArray(body)) return answerOne(answer, body as RpcRequest)
  if (body.length > requestsMax) throw new RangeError(`the batch has more than ${requestsMax} requests`)
  return body.map((one) => answerOne(answer, one as RpcRequest))
}

function answerOne(answer: AnswerRpc, { id = null, method, params }: RpcRequest): unknown {
  const said = { jsonrpc: '2.0', id }
  try {
    const answered = answer(String(method), Array.isArray(params) ? params : [])
    return answered === null
      ? { ...said, error: { code: -32_601, message: `there is no method ${String(method).slice(0, 80)}` } }
      : { ...said, result: answered.result }
  } catch (error) {
    const message = error instanceof Error ? error.message : 'failed'
    return { ...said, error: { code: refusedCode, message, data: { err: message, logs: [] } } }
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) throw new RangeError(`the body is larger than ${bodyBytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

const allowed = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' } as const

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', ...allowed })
  response.end(JSON.stringify(body))
}
