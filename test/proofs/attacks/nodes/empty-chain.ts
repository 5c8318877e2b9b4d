/** An Ethereum node over HTTP. Its chain grows by empty blocks. */
import type { IncomingMessage } from 'node:http'
import { type PlainServer, startPlainServer } from '../../../support/sockets/plain-server.ts'

const firstBlock = 1_000_000
const blockSec = 2

/** `speed` is the number of chain seconds per real second. */
export async function startEmptyChain(speed: number): Promise<PlainServer> {
  const startedAtSec = Date.now() / 1000
  const blockAt = (tag: string) => {
    const head = firstBlock + Math.floor(((Date.now() / 1000 - startedAtSec) * speed) / blockSec)
    const number = tag === 'latest' ? head : Number(tag)
    const timestamp = Math.floor(startedAtSec + (number - firstBlock) * blockSec)
    return { number: hex(number), timestamp: hex(timestamp), transactions: [] }
  }
  const results: Readonly<Record<string, (params: readonly string[]) => unknown>> = {
    eth_getBlockByNumber: ([tag = 'latest']) => blockAt(tag),
    eth_getLogs: () => [],
    eth_getTransactionReceipt: () => null,
  }
  return startPlainServer(async (request, response) => {
    const { id, method, params } = await questionIn(request)
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method]?.(params) ?? null }))
  })
}

const hex = (value: number): string => `0x${value.toString(16)}`

type Question = Readonly<{ id: number; method: string; params: readonly string[] }>

async function questionIn(request: IncomingMessage): Promise<Question> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString()) as Question
}
