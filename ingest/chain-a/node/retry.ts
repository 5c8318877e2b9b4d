import { isOperationError } from '../../../infra/errors.ts'
import type { Delay } from '../../delay.ts'

/** 0.25 s, 0.5 s … 8 s: about 16 s in all. */
const waitsMs = [250, 500, 1000, 2000, 4000, 8000] as const

/**
 * Retries a read while the node is inconsistent, or unreachable in all tries of a request; then fails with its error. A
 * refusal is final. Use it for a single read, because a retry repeats everything inside it.
 */
export async function retrying<Result>(
  read: () => Promise<Result>,
  { delay, signal }: Readonly<{ delay: Delay; signal: AbortSignal }>,
): Promise<Result> {
  for (const waitMs of waitsMs) {
    try {
      return await read()
    } catch (error) {
      if (!isOperationError(error, 'node_unreachable') && !isOperationError(error, 'node_inconsistent')) throw error
      await delay(waitMs, signal)
    }
  }
  return await read()
}
