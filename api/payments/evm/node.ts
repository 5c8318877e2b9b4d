import { createPublicClient, http, type PublicClient } from 'viem'
import { boundedFetch, nodeAnswerBytesMax } from '../../../infra/bounded-fetch.ts'

type NodeOptions = Readonly<{ timeoutMs: number; retryCount: number }>

/**
 * Creates a client for the node of a payment chain. With `boundedFetch`, the timeout limits the whole answer; viem
 * alone limits only the headers.
 */
export const createEvmNode = (rpcUrl: string, { timeoutMs, retryCount }: NodeOptions): PublicClient =>
  createPublicClient({
    // The verification of a signature calls a contract, which must not send this process to a URL of the contract's
    // choice (ERC-3668).
    ccipRead: false,
    transport: http(rpcUrl, { timeout: timeoutMs, retryCount, fetchFn: boundedFetch(nodeAnswerBytesMax) }),
  })
