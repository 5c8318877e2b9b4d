import { OperationError } from './errors.ts'
import { textOfResponse } from './text-of-response.ts'

/**
 * The maximum number of bytes in a node's answer about one payment. The largest answers list a thousand transactions of
 * an address, or contain a large receipt.
 */
export const nodeAnswerBytesMax = 4 * 1_048_576

/** The statuses with which `Response` accepts no body. */
const statusesWithoutBody: ReadonlySet<number> = new Set([204, 205, 304])

/**
 * `fetch` for untrusted servers. It follows no redirect, so the request reaches only the server in its URL. It reads
 * the whole body before it returns, so the request's abort signal also stops a slow body. It fails if the body is
 * larger than `bytesMax`.
 */
export const boundedFetch =
  (bytesMax: number): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'error' })
    const { status, statusText, headers } = response
    const text = await textOfResponse(response, bytesMax)
    if (text === null) throw new OperationError('provider_failed', `the answer is larger than ${bytesMax} bytes`)
    return new Response(statusesWithoutBody.has(status) ? null : text, { status, statusText, headers })
  }
