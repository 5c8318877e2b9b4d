/**
 * Classifies a failed request: the node is unreachable, is busy or slow, refused the request, or sent an
 * impossible answer.
 */
import { OperationError } from '../../../infra/errors.ts'
import { retryAfterMsOf } from '../../node/retry-after.ts'
import { unreachable } from '../../node/unreachable.ts'

/** The HTTP statuses after which the same request may succeed later, whatever the body contains. */
const busyStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

export const inconsistent = (message: string): OperationError => new OperationError('node_inconsistent', message)

/** The HTTP statuses of a timeout in the node, or in a gateway in front of it. The request may be too large. */
const timeoutStatuses: ReadonlySet<number> = new Set([408, 504])

/**
 * Returns the failure that the HTTP status shows. Returns null if the body must be read, because it has the
 * answer or the error.
 */
export function failureOfStatus(method: string, { status, headers }: Response): OperationError | null {
  if (busyStatuses.has(status)) {
    const kind = timeoutStatuses.has(status) ? 'timeout' : 'busy'
    return unreachable(`the node did not answer ${method}: status ${status}`, kind, retryAfterMsOf(headers, Date.now()))
  }
  if (status === 401 || status === 403)
    return new OperationError('node_refused', `the node refused ${method}: status ${status}`, { context: { status } })
  return null
}

/**
 * The JSON-RPC error codes after which the same request may succeed later: the node is behind the chain, is
 * still writing the block, or limits the rate of requests.
 */
const passingCodes: ReadonlySet<unknown> = new Set([-32_004, -32_005, -32_014, -32_016, -32_603, 429])

/**
 * The JSON-RPC error codes for a slot without a block: the slot was skipped, or its block is missing in the
 * node's long-term storage.
 */
const noBlockCodes: ReadonlySet<unknown> = new Set([-32_007, -32_009])

/** Converts a JSON-RPC error to the failure that ingest reports. `message` must not contain secrets. */
export function failureOfAnswer(method: string, code: unknown, message: string): OperationError {
  if (passingCodes.has(code) || /rate.?limit|too many requests/i.test(message))
    return unreachable(`the node cannot answer ${method} now: ${message}`, 'busy')
  return new OperationError('node_refused', `the node refused ${method}: ${message}`, { context: { method, code } })
}

export const isNoBlock = ({ code, context }: OperationError): boolean =>
  code === 'node_refused' && noBlockCodes.has(context.code)
