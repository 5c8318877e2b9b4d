/** Runs the chains of a program, so that a failure of one does not stop the sale of the others. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isOperationError } from './errors.ts'
import { runTogether } from './run-together.ts'
import type { Logger } from './telemetry.ts'

/** A part that needs no other part. It must be safe to run it again. */
export type Part = Readonly<{ name: string; run: () => Promise<void> }>

type SideBySide = Readonly<{
  signal: AbortSignal
  /** Aborted when a failure ends all parts. `signal` must follow it. */
  stop: AbortController
  logger: Pick<Logger, 'error'>
  /** Whether the failure is of something that all parts share, so that it ends all of them. Default: never. */
  concernsAll?: (error: unknown) => boolean
  /** Must resolve early, and not reject, when the signal aborts. Default: the wall clock. */
  delay?: (durationMs: number, signal: AbortSignal) => Promise<void>
}>

/** A supervisor would restart the whole program with the same fault, and stop all parts each time. */
const restartPauseMs = 60_000

/**
 * Resolves when all parts have ended. If a part fails while another one runs, the failure is logged and the part
 * restarts after a minute. A fenced part does not restart, because it would fence its successor. If a part fails while
 * no other part runs, the failure is thrown, so a program of one part fails as the part does.
 */
export async function runSideBySide(parts: readonly Part[], options: SideBySide): Promise<void> {
  const { signal, stop, logger, concernsAll = () => false, delay = realDelay } = options
  const running = new Set<Part>(parts)
  /** True if the part may be started again. */
  const survives = (part: Part, error: unknown): boolean => {
    running.delete(part)
    if (running.size === 0 || signal.aborted || concernsAll(error)) throw error
    const isFenced = isOperationError(error, 'writer_fenced')
    const what = isFenced ? 'it ends' : `it restarts in ${restartPauseMs / 1000} s`
    logger.error({ err: error }, `${part.name} failed: ${what}, and the other chains continue`)
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
