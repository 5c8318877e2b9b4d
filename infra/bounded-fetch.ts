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
 * `fetch` for untrusted servers. It follows no redirect, so that the request reaches only this server. It reads the
 * whole answer, up to `bytesMax`, so that the signal of the request limits the time of the body too.
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
