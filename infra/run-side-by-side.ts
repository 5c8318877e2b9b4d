/** Runs the chains of a program: a failure of one must not stop the sale of the others. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isOperationError } from './errors.ts'
import { runTogether } from './run-together.ts'
import type { Logger } from './telemetry.ts'

/** Needs no other part. It must be safe to run it again. */
export type Part = Readonly<{ name: string; run: () => Promise<void> }>

type SideBySide = Readonly<{
  signal: AbortSignal
  /** Is aborted when a failure ends all parts. `signal` must follow it. */
  stop: AbortController
  logger: Pick<Logger, 'error'>
  /** A failure of what all parts share ends all of them. Default: there is none. */
  concernsAll?: (error: unknown) => boolean
  /** Must resolve early, and not reject, when the signal aborts. Default: the wall clock. */
  delay?: (durationMs: number, signal: AbortSignal) => Promise<void>
}>

/** A supervisor would start the whole program again, with the same fault, and stop all parts each time. */
const restartPauseMs = 60_000

/**
 * Resolves when all parts have ended. A part that fails while another one runs is logged and started again after a minute; one
 * that was fenced is not, because it would fence its successor. A failure while no other part runs stops all of them, and is
 * thrown: a program of one part fails as the part does.
 */
export async function runSideBySide(parts: readonly Part[], options: SideBySide): Promise<void> {
  const { signal, stop, logger, concernsAll = () => false, delay = realDelay } = options
  const running = new Set<Part>(parts)
  /** True if the part may be started again. */
  const survives = (part: Part, error: unknown): boolean => {
    running.delete(part)
    if (running.size === 0 || signal.aborted || concernsAll(error)) throw error
    const isFenced = isOperationError(error, 'writer_fenced')
    const what = isFenced ? 'it ends' : `it is started again in ${restartPauseMs / 1000} s`
    logger.error({ err: error }, `${part.name} failed: ${what}, and the other chains run on`)
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
