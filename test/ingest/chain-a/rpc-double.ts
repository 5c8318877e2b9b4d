/** A JSON-RPC server in this process, for faults that a real node cannot have. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Hex } from '../../../schemas/units.ts'
import { type SocketDouble, serveSockets } from '../../support/sockets/socket-double.ts'

type RpcFault = Readonly<{ status: number; body?: unknown; headers?: Readonly<Record<string, string>> }>
/** `id` replaces the id of the request. */
export type RpcAnswer = Readonly<
  | { result: unknown; id?: null }
  | { error: Readonly<{ code: number; message: string }>; id?: null }
  | { fault: RpcFault }
>
export type RpcHandler = (method: string, params: readonly never[]) => RpcAnswer | 'hang' | 'drop'

/** `batches` are the methods of each HTTP request. */
export type RpcDouble = Readonly<{
  url: string
  calls: string[]
  batches: string[][]
  sockets: SocketDouble
  stop(): Promise<void>
}>

export async function startRpcDouble(handle: RpcHandler): Promise<RpcDouble> {
  const calls: string[] = []
  const batches: string[][] = []
  const server = createServer(async (request, response) => {
    const body: unknown = JSON.parse(await textOf(request))
    const requests = (Array.isArray(body) ? body : [body]) as readonly { id: number; method: string; params: never[] }[]
    batches.push(requests.map(({ method }) => method))
    const answers = requests.map(({ id, method, params }) => {
      calls.push(method)
      return { id, answer: handle(method, params) }
    })
    if (answers.some(({ answer }) => answer === 'hang')) return
    if (answers.some(({ answer }) => answer === 'drop')) return void request.socket.destroy()
    const fault = answers.flatMap(({ answer }) =>
      typeof answer === 'object' && 'fault' in answer ? [answer.fault] : [],
    )[0]
    if (fault) {
      response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers })
      response.end(JSON.stringify(fault.body ?? {}))
      return
    }
    const replies = answers.map(({ id, answer }) => ({ jsonrpc: '2.0', id, ...(answer as object) }))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(Array.isArray(body) ? replies : replies[0]))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets = serveSockets(server, async (method, params) => {
    const answer = handle(method, params as readonly never[])
    return answer === 'hang' || answer === 'drop' || 'fault' in answer ? null : answer
  })
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    batches,
    sockets,
    stop: async () => {
      sockets.stop()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

/** A chain of empty blocks, one per second. The hash of a block contains its branch. */
export type ChainDouble = { head: number; branchOf: (number: number) => number }

export const hashOfBlock = (chain: ChainDouble, number: number): Hex =>
  `0x${chain.branchOf(number).toString(16)}${number.toString(16).padStart(63, '0')}`

export function blockOf(chain: ChainDouble, tag: string): unknown {
  const number = tag === 'latest' ? chain.head : Number(tag)
  if (number > chain.head || number < 0) return null
  return {
    number: `0x${number.toString(16)}`,
    hash: hashOfBlock(chain, number),
    parentHash: number === 0 ? `0x${'0'.repeat(64)}` : hashOfBlock(chain, number - 1),
    timestamp: `0x${(1_700_000_000 + number).toString(16)}`,
  }
}
