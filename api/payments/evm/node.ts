import { createPublicClient, http, type PublicClient } from 'viem'
import { boundedFetch, nodeAnswerBytesMax } from '../../../infra/bounded-fetch.ts'

type NodeOptions = Readonly<{ timeoutMs: number; retryCount: number }>

/**
 * A client for the node of a payment chain. `boundedFetch` makes the timeout cover the whole answer; viem alone covers
 * only the headers.
 */
export const createEvmNode = (rpcUrl: string, { timeoutMs, retryCount }: NodeOptions): PublicClient =>
  createPublicClient({
    // Verifying a signature calls a contract, which must not redirect this process to an address of its choice
    // (ERC-3668).
    ccipRead: false,
    transport: http(rpcUrl, { timeout: timeoutMs, retryCount, fetchFn: boundedFetch(nodeAnswerBytesMax) }),
  })
