import { OperationError } from '../../infra/errors.ts'

type UnreachableKind = 'busy' | 'timeout' | 'network'

/** A failure after which the same request may succeed later. `retryAfterMs` is the pause that the node requests. */
export const unreachable = (message: string, kind: UnreachableKind, retryAfterMs = 0): OperationError =>
  new OperationError('node_unreachable', message, { context: { kind, retryAfterMs } })
