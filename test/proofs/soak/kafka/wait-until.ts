import { setTimeout as sleep } from 'node:timers/promises'
import { OperationError } from '../../../../infra/errors.ts'

/** How long something may take that takes some ten seconds on a quiet machine: a session ends, workers come and share anew. */
const patienceMs = 300_000

/** Fails with `program_failed` when it does not come to that in five minutes. */
export async function waitUntil(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const untilMs = performance.now() + patienceMs
  while (!(await isSo())) {
    if (performance.now() > untilMs) throw new OperationError('program_failed', `in vain: ${what}`)
    await sleep(20)
  }
}

/** Fails with `program_failed` when it takes longer than anything that recovers. */
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
