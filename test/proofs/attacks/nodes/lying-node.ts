/** A node over HTTP that forwards each request to a real node, and may change the answer. */
import { type PlainServer, startPlainServer } from '../../../support/sockets/plain-server.ts'
import type { NodeLie } from '../solana/solana-lie-kinds.ts'

type Answered = Readonly<{ jsonrpc: string; id: unknown; result?: unknown }>

export const startLyingNode = (url: string, lieNow: () => NodeLie | null): Promise<PlainServer> =>
  startPlainServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const headers = { 'content-type': 'application/json' }
    const answered = (await (await fetch(url, { method: 'POST', headers, body })).json()) as Answered
    const lie = lieNow()
    const { method } = JSON.parse(body) as Readonly<{ method: string }>
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(lie === null ? answered : { ...answered, result: lie(method, answered.result) }))
  })
