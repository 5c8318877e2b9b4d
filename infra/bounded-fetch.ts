import { OperationError } from './errors.ts'
import { textOfResponse } from './text-of-response.ts'

/** Most bytes of a node's answer about one payment: a thousand transactions of an address, or the receipt of a large one. */
export const nodeAnswerBytesMax = 4 * 1_048_576

/** Answers with these statuses may have no body. */
const statusesWithoutBody: ReadonlySet<number> = new Set([204, 205, 304])

/**
 * `fetch` for servers that may send anything. It follows no redirect, so what is sent reaches this server alone. It reads the
 * whole answer, of at most so many bytes, so the signal of the request bounds the time of the body too.
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
