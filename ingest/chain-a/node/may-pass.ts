import type { OperationError } from '../../../infra/errors.ts'

/** `internal error` may also be how a node refuses a range or a call. */
const internalErrorsMax = 3
const internalErrorCode = -32_603

const isRefusable = (method: string): boolean => method === 'eth_getLogs' || method === 'eth_call'

/** Whether the last failure of a request may pass. A refusal is final, unless it is an internal error. */
export const mayPass =
  (method: string) =>
  (failures: readonly OperationError[], last: OperationError): boolean => {
    // All URLs were asked, and a wrong clock takes long to correct, so the reader of the block waits instead.
    if (last.code === 'node_inconsistent') return false
    if (last.code === 'node_refused' && !isInternalError(last)) return false
    return !isRefusable(method) || failures.filter(isInternalError).length < internalErrorsMax
  }

/** Some nodes send this code for a call that reverts, and it would revert again. */
const isInternalError = (error: OperationError): boolean =>
  error.context.code === internalErrorCode && !/revert/i.test(error.message)
