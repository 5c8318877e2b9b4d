import { OperationError } from '../../infra/errors.ts'

type UnreachableKind = 'busy' | 'timeout' | 'network'

/**
 * Creates the error for a failed request to the node that may succeed later. `retryAfterMs` is the pause that
 * the node requests, in ms.
 */
export const unreachable = (message: string, kind: UnreachableKind, retryAfterMs = 0): OperationError =>
  new OperationError('node_unreachable', message, { context: { kind, retryAfterMs } })
