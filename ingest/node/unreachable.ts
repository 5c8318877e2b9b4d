import { OperationError } from '../../infra/errors.ts'

type UnreachableKind = 'busy' | 'timeout' | 'network'

/** The same request may succeed later. `retryAfterMs`: how long the node wants to be left alone. */
export const unreachable = (message: string, kind: UnreachableKind, retryAfterMs = 0): OperationError =>
  new OperationError('node_unreachable', message, { context: { kind, retryAfterMs } })
