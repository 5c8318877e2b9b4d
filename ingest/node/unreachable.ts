import { OperationError } from '../../infra/errors.ts'

type UnreachableKind = 'busy' | 'timeout' | 'network'

/** A failure that may pass. `retryAfterMs`: the pause that the node asks for. */
export const unreachable = (message: string, kind: UnreachableKind, retryAfterMs = 0): OperationError =>
  new OperationError('node_unreachable', message, { context: { kind, retryAfterMs } })
