/** Classifies a failed request: the node is unreachable, busy or slow, or it refused. */
import { OperationError } from '../../../infra/errors.ts'
import type { DurationMs } from '../../../schemas/units.ts'
import { retryAfterMsOf } from '../../node/retry-after.ts'
import { unreachable } from '../../node/unreachable.ts'

/** HTTP statuses after which the same request may succeed later, whatever the body of the response. */
export const busyStatuses: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504])

/**
 * Whether a gateway in front of the node timed out. As after our own timeout, the requested range of blocks
 * may then be too large.
 */
const isTimeout = (status: number | undefined): boolean => status === 408 || status === 504

type FailureContext = Readonly<{ method: string; redact: (text: string) => string }>

/**
 * Converts an error of viem. The result has no `cause`, because viem's errors contain the URL and the body of the
 * request.
 */
export function toOperationError(error: unknown, { method, redact }: FailureContext): OperationError {
  const { name, status, code, text, retryAfterMs } = factsOf(error)
  if (name === 'BlockAheadError') return new OperationError('node_inconsistent', text)
  const detail = redact(text)
  if (name === 'TimeoutError' || isTimeout(status)) return unreachable(`no answer to ${method} in time`, 'timeout')
  if (status === 429 || isRateLimit(code, text))
    return unreachable(`the node limits the rate of ${method}: ${detail}`, 'busy', retryAfterMs)
  if (name === 'HttpRequestError' && (status === undefined || status >= 500 || busyStatuses.has(status))) {
    const reason = status ? `status ${status}` : detail
    return unreachable(`the node did not answer ${method}: ${reason}`, 'network', retryAfterMs)
  }
  return new OperationError('node_refused', `the node refused ${method}: ${detail}`, {
    context: { method, status, code },
  })
}

function isRateLimit(code: unknown, text: string): boolean {
  return code === 429 || /rate.?limit|too many requests|request limit|compute units|throttl/i.test(text)
}

type ErrorFacts = { name: string; status?: number; code?: number; text: string; retryAfterMs: DurationMs }

/**
 * Collects the properties of an error and its causes. The text comes from the innermost viem error, which
 * describes the failure. The outer errors repeat the request.
 */
function factsOf(error: unknown): ErrorFacts {
  const facts: ErrorFacts = { name: 'Error', text: 'unknown error', retryAfterMs: 0 }
  let inner: unknown = error
  while (inner instanceof Error) {
    const { name, status, code, headers, details, shortMessage, message, cause } = inner as Error &
      Record<string, unknown>
    if (name === 'TimeoutError' || name === 'HttpRequestError' || name === 'BlockAheadError') facts.name = name
    // A lost socket counts as an HTTP request without a response.
    if (name === 'WebSocketRequestError') facts.name = 'HttpRequestError'
    if (typeof status === 'number') facts.status = status
    if (typeof code === 'number') facts.code = code
    if (headers instanceof Headers) facts.retryAfterMs = retryAfterMsOf(headers, Date.now())
    facts.text = String(details || shortMessage || message)
    inner = cause
  }
  return facts
}

/**
 * The number of `internal error` answers after which a request counts as refused. Some nodes use this error
 * to refuse a block range or a contract call.
 */
const internalErrorsMax = 3
const internalErrorCode = -32_603

const isRefusable = (method: string): boolean => method === 'eth_getLogs' || method === 'eth_call'

/**
 * Whether a later try of the failed request may succeed. A refusal is final, unless the node reported an
 * internal error.
 */
export const mayPass =
  (method: string) =>
  (failures: readonly OperationError[], last: OperationError): boolean => {
    // All URLs were tried, and a wrong clock is not corrected within seconds. So this client does not retry
    // the request. Its caller waits and asks later.
    if (last.code === 'node_inconsistent') return false
    if (last.code === 'node_refused' && !isInternalError(last)) return false
    return !isRefusable(method) || failures.filter(isInternalError).length < internalErrorsMax
  }

/**
 * Whether the error is an internal error of the node. Some nodes send the same code for a reverted contract
 * call. Such a call would only revert again, so it does not count.
 */
const isInternalError = (error: OperationError): boolean =>
  error.context.code === internalErrorCode && !/revert/i.test(error.message)
