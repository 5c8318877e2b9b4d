import { limited } from '../infra/limited.ts'
import type { DurationMs } from '../schemas/units.ts'

/**
 * Runs `call` with a time limit. The signal passed to `call` aborts when the outer signal aborts or the time
 * is up. `call` must then reject. After a timeout, the error of `onLimit` is thrown.
 */
export async function withLimit<Result>(
  { limitMs, signal, onLimit }: Readonly<{ limitMs: DurationMs; signal: AbortSignal; onLimit: () => Error }>,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const limit = limited([signal], limitMs)
  try {
    return await call(limit.signal)
  } catch (error) {
    throw limit.isOver() && !signal.aborted ? onLimit() : error
  } finally {
    limit.release()
  }
}
