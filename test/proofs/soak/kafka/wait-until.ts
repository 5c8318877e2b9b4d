import { setTimeout as sleep } from 'node:timers/promises'
import { OperationError } from '../../../../infra/errors.ts'

/**
 * The limit of an action that takes about ten seconds on a quiet machine, such as the end of a session or a rebalance.
 */
const patienceMs = 300_000

/** Fails with `program_failed` after five minutes. */
export async function waitUntil(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const untilMs = performance.now() + patienceMs
  while (!(await isSo())) {
    if (performance.now() > untilMs) throw new OperationError('program_failed', `in vain: ${what}`)
    await sleep(20)
  }
}

/** Waits for `doing`. Fails with `program_failed` after ten minutes, which is longer than any recovery. */
export async function inTime<Result>(what: string, doing: Promise<Result>): Promise<Result> {
  const over = new AbortController()
  const late = sleep(2 * patienceMs, undefined, { signal: over.signal }).then(() => {
    throw new OperationError('program_failed', `in vain: ${what}`)
  })
  try {
    return await Promise.race([doing, late])
  } finally {
    over.abort()
  }
}
