/**
 * Runs independent parts of a program, such as one part for each chain. If one part fails, the other parts
 * continue, so that the data of the other chains is still sold.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isOperationError } from './errors.ts'
import { runTogether } from './run-together.ts'
import type { Logger } from './telemetry.ts'

/** A part that needs no other part. It must be safe to run the part again. */
export type Part = Readonly<{ name: string; run: () => Promise<void> }>

type SideBySide = Readonly<{
  signal: AbortSignal
  /** Aborted when a failure ends all parts. `signal` must abort when this controller aborts. */
  stop: AbortController
  logger: Pick<Logger, 'error'>
  /** Whether the failure concerns something that all parts share. Such a failure ends all parts. Default: never. */
  concernsAll?: (error: unknown) => boolean
  /**
   * Waits for this duration. It must resolve early, without rejecting, when the signal aborts. Default: a wait by the
   * wall clock.
   */
  delay?: (durationMs: number, signal: AbortSignal) => Promise<void>
}>

/**
 * The pause before a failed part restarts, in milliseconds. The program restarts the part itself. A
 * supervisor would restart the whole program, and so stop all parts at each failure.
 */
const restartPauseMs = 60_000

/**
 * Runs all parts and resolves when all have ended.
 * - If a part fails while another part runs, the failure is logged and the part restarts after a minute.
 * - A fenced part does not restart, because it would fence its successor.
 * - If a part fails while no other part runs, the failure is thrown. So a program with one part fails when that part
 *   fails.
 */
export async function runSideBySide(parts: readonly Part[], options: SideBySide): Promise<void> {
  const { signal, stop, logger, concernsAll = () => false, delay = realDelay } = options
  const running = new Set<Part>(parts)
  /** Whether the part may be started again. Throws the failure if it must end all parts. */
  const survives = (part: Part, error: unknown): boolean => {
    running.delete(part)
    if (running.size === 0 || signal.aborted || concernsAll(error)) throw error
    const isFenced = isOperationError(error, 'writer_fenced')
    const what = isFenced ? 'It stays stopped' : `It starts again in ${restartPauseMs / 1000} s`
    logger.error({ err: error }, `${part.name} failed. ${what}. The other parts continue`)
    return !isFenced
  }
  const runOne = async (part: Part): Promise<void> => {
    while (!signal.aborted) {
      running.add(part)
      const isOver = await part.run().then(
        () => true,
        (error: unknown) => !survives(part, error),
      )
      running.delete(part)
      if (isOver) return
      await delay(restartPauseMs, signal)
    }
  }
  await runTogether(parts.map(runOne), stop)
}

const realDelay = async (durationMs: number, signal: AbortSignal): Promise<void> => {
  await sleep(durationMs, undefined, { signal }).catch(() => {})
}
