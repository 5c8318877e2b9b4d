/** Classifies a failed request: the node is unreachable, busy or slow, refused the request, or sent an impossible answer. */
import { OperationError } from '../../../infra/errors.ts'
import { retryAfterMsOf } from '../../node/retry-after.ts'
import { unreachable } from '../../node/unreachable.ts'

/** The HTTP statuses after which the same request may succeed later, whatever the body contains. */
const busyStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

export const inconsistent = (message: string): OperationError => new OperationError('node_inconsistent', message)

/** The statuses of a timeout in the node, or in a gateway in front of it. The request may be too large. */
const timeoutStatuses: ReadonlySet<number> = new Set([408, 504])

/** Returns the failure that the HTTP status shows. Null if the status shows none and the body is the answer. */
export function failureOfStatus(method: string, { status, headers }: Response): OperationError | null {
  if (busyStatuses.has(status)) {
    const kind = timeoutStatuses.has(status) ? 'timeout' : 'busy'
    return unreachable(`the node did not answer ${method}: status ${status}`, kind, retryAfterMsOf(headers, Date.now()))
  }
  if (status === 401 || status === 403)
    return new OperationError('node_refused', `the node refused ${method}: status ${status}`, { context: { status } })
  return null
}

/** Codes of failures that may pass: the node is behind, is still writing the block, or limits requests. */
const passingCodes: ReadonlySet<unknown> = new Set([-32_004, -32_005, -32_014, -32_016, -32_603, 429])

/** Codes for a slot without a block: it was skipped, or it is missing in the long-term storage. */
const noBlockCodes: ReadonlySet<unknown> = new Set([-32_007, -32_009])

/** `message` must not contain secrets. */
export function failureOfAnswer(method: string, code: unknown, message: string): OperationError {
  if (passingCodes.has(code) || /rate.?limit|too many requests/i.test(message))
    return unreachable(`the node cannot answer ${method} now: ${message}`, 'busy')
  return new OperationError('node_refused', `the node refused ${method}: ${message}`, { context: { method, code } })
}

export const isNoBlock = ({ code, context }: OperationError): boolean =>
  code === 'node_refused' && noBlockCodes.has(context.code)
