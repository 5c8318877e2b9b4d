import { createPublicClient, http, type PublicClient } from 'viem'
import { boundedFetch, nodeAnswerBytesMax } from '../../../infra/bounded-fetch.ts'

type NodeOptions = Readonly<{ timeoutMs: number; retryCount: number }>

/**
 * Creates a client for the node of a payment chain. With `boundedFetch`, the timeout limits the whole answer.
 * The timeout of viem alone limits only the wait for the headers.
 */
export const createEvmNode = (rpcUrl: string, { timeoutMs, retryCount }: NodeOptions): PublicClient =>
  createPublicClient({
    // ERC-3668 is off. A signature is verified by a call to the payer's contract. With ERC-3668, that
    // contract could make this process request any URL.
    ccipRead: false,
    transport: http(rpcUrl, { timeout: timeoutMs, retryCount, fetchFn: boundedFetch(nodeAnswerBytesMax) }),
  })
