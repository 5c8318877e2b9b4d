import { createSolanaRpcFromTransport, type RpcTransport } from '@solana/kit'
import { boundedFetch, nodeAnswerBytesMax } from '../../../infra/bounded-fetch.ts'

/** Creates a client for a Solana node. The signal of a call limits the time for the whole answer. */
export const createSvmNode = (rpcUrl: string) => createSolanaRpcFromTransport(boundedTransport(rpcUrl))

const ask = boundedFetch(nodeAnswerBytesMax)

/** Replaces the default transport of @solana/kit, which follows redirects and reads answers of any length. */
function boundedTransport(url: string): RpcTransport {
  return async <Answer>({ payload, signal }: Parameters<RpcTransport>[0]) => {
    const response = await ask(url, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify(payload, plainNumber),
      ...(signal && { signal }),
    })
    if (!response.ok) throw new TypeError(`the node answered with status ${response.status}`)
    return (await response.json()) as Answer
  }
}

/** Converts a BigInt to a plain number, because JSON has no BigInt. Slots are far below 2^53, so the number is exact. */
const plainNumber = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value)
