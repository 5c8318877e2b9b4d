/** Makes one JSON-RPC call over HTTP, with a time limit. Failure messages never contain the key in the URL. */
import { isOperationError } from '../../../infra/errors.ts'
import { textOfResponse } from '../../../infra/text-of-response.ts'
import type { DurationMs } from '../../../schemas/units.ts'
import { unreachable } from '../../node/unreachable.ts'
import { createRedactor } from '../../redact.ts'
import { withLimit } from '../../with-limit.ts'
import { failureOfAnswer, failureOfStatus, inconsistent } from './failures.ts'

export type Call = Readonly<{ method: string; params: readonly unknown[] }>

/**
 * Returns the result of one call. Fails as `ChainBReader` does, and when the signal aborts. If the node asks
 * for a pause, the failure's `retryAfterMs` is the length of the pause.
 */
export type Transport = (call: Call, signal: AbortSignal) => Promise<unknown>

type Answer = Readonly<{ result?: unknown; error?: Readonly<{ code?: unknown; message?: unknown }> | null }>
type HttpOptions = Readonly<{ url: string; timeoutMs: DurationMs }>

/**
 * The maximum size of an answer, in bytes. A whole block has less than half of this size. In memory, a parsed
 * answer takes several times the size of its text.
 */
const answerBytesMax = 32 * 1_048_576

export function createHttpTransport({ url, timeoutMs }: HttpOptions): Transport {
  const redact = createRedactor([url])
  return async (call, signal) => {
    const { method } = call
    const onLimit = () => unreachable(`no answer to ${method} in ${timeoutMs} ms`, 'timeout')
    const text = await withLimit({ limitMs: timeoutMs, signal, onLimit }, async (limited) => {
      try {
        return await textOf(url, call, limited)
      } catch (error) {
        if (isOperationError(error)) throw error
        throw unreachable(`the node did not answer ${method}: ${redact(reasonOf(error))}`, 'network')
      }
    })
    const { result, error } = answerIn(text, method)
    if (error) throw failureOfAnswer(method, error.code, redact(String(error.message ?? 'no reason')))
    return result
  }
}

async function textOf(url: string, call: Call, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...call }),
    signal,
  })
  const text = await textOfResponse(response, answerBytesMax)
  if (text === null) throw inconsistent(`the node's answer is larger than ${answerBytesMax} bytes`)
  const failure = failureOfStatus(call.method, response)
  if (failure) throw failure
  return text
}

/** Returns the reason of a failed request. The reason is in the cause, because the error itself only says `fetch failed`. */
function reasonOf(error: unknown): string {
  const { message = '', code } = (
    error instanceof Error && error.cause instanceof Error ? error.cause : error
  ) as Error & Readonly<{ code?: string }>
  return message || code || 'unknown reason'
}

/**
 * Parses the answer. An answer that is not JSON-RPC may be cut off, or may be the error page of a gateway. In
 * this case, the node counts as unreachable, so that the request is sent again.
 */
function answerIn(text: string, method: string): Answer {
  try {
    const answer: unknown = JSON.parse(text)
    if (answer !== null && typeof answer === 'object' && ('result' in answer || 'error' in answer))
      return answer as Answer
  } catch {
    // The error below reports the invalid JSON.
  }
  throw unreachable(`the node did not answer ${method} with JSON-RPC`, 'network')
}
