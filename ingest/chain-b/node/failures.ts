/** What a failed request says: the node is away, busy or slow, it refused, or its answer cannot be. */
import { OperationError } from '../../../infra/errors.ts'

/** Statuses after which the same request may succeed, whatever their body says. */
const busyStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

/** A node that asks for more is asked again after this. */
const retryAfterMsMax = 60_000

export const unreachable = (message: string, retryAfterMs = 0): OperationError =>
  new OperationError('node_unreachable', message, { context: { retryAfterMs } })

export const inconsistent = (message: string): OperationError => new OperationError('node_inconsistent', message)

/** Null: the status is that of an answer. */
export function failureOfStatus(method: string, { status, headers }: Response): OperationError | null {
  if (busyStatuses.has(status))
    return unreachable(`the node did not answer ${method}: status ${status}`, retryAfterMsOf(headers))
  if (status === 401 || status === 403)
    return new OperationError('node_refused', `the node refused ${method}: status ${status}`, { context: { status } })
  return null
}

/** In seconds; dates are ignored. */
function retryAfterMsOf(headers: Headers): number {
  const text = headers.get('retry-after')?.trim() ?? ''
  return /^\d+$/.test(text) ? Math.min(retryAfterMsMax, Number(text) * 1000) : 0
}

/** The node is behind, is still writing the block, or limits requests: it may answer the same request later. */
const passingCodes: ReadonlySet<unknown> = new Set([-32_004, -32_005, -32_014, -32_016, -32_603, 429])

/** The codes of a slot without a block: skipped, or missing in the long-term storage. */
const noBlockCodes: ReadonlySet<unknown> = new Set([-32_007, -32_009])

/** `message` must be without secrets. */
export function failureOfAnswer(method: string, code: unknown, message: string): OperationError {
  if (passingCodes.has(code) || /rate.?limit|too many requests/i.test(message))
    return unreachable(`the node cannot answer ${method} now: ${message}`)
  return new OperationError('node_refused', `the node refused ${method}: ${message}`, { context: { method, code } })
}

export const isNoBlock = ({ code, context }: OperationError): boolean =>
  code === 'node_refused' && noBlockCodes.has(context.code)
