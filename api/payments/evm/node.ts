import { createPublicClient, http, type PublicClient } from 'viem'
import { boundedFetch, nodeAnswerBytesMax } from '../../../infra/bounded-fetch.ts'

type NodeOptions = Readonly<{ timeoutMs: number; retryCount: number }>

/** A node that is asked about payments. The time bounds its whole answer: of itself viem bounds the head only. */
export const createEvmNode = (rpcUrl: string, { timeoutMs, retryCount }: NodeOptions): PublicClient =>
  createPublicClient({
    // A contract wallet is asked about its signature: it must not send this process to an address of its choice (ERC-3668).
    ccipRead: false,
    transport: http(rpcUrl, { timeout: timeoutMs, retryCount, fetchFn: boundedFetch(nodeAnswerBytesMax) }),
  })
