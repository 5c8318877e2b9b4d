/**
 * Creates a clock that moves only when all work is waiting. Then the clock jumps to the next time for which
 * something waits.
 */
import { setMaxListeners } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import type { Delay } from '../../ingest/delay.ts'

/** If no wait ends during this number of turns of the event loop, all work is waiting. */
const quietTurns = 20

export function createVirtualTime(startMs: number) {
  let nowMs = startMs
  const waiting = new Set<Readonly<{ atMs: number; end: () => void }>>()
  const delay: Delay = async (ms, signal) => {
    if (signal.aborted) return
    setMaxListeners(0, signal)
    await new Promise<void>((resolve) => {
      const each = {
        atMs: nowMs + Math.max(0, Math.ceil(ms)),
        end: () => {
          waiting.delete(each)
          signal.removeEventListener('abort', each.end)
          resolve()
        },
      }
      waiting.add(each)
      signal.addEventListener('abort', each.end)
    })
  }
  const moveOn = () => {
    nowMs = Math.max(nowMs, Math.min(...[...waiting].map(({ atMs }) => atMs)))
    for (const each of [...waiting]) if (each.atMs <= nowMs) each.end()
  }
  return {
    nowMs: () => nowMs,
    delay,
    /** Runs until the work is done. */
    async run<Result>(work: Promise<Result>): Promise<Result> {
      let isDone = false
      const done = work.finally(() => {
        isDone = true
      })
      while (!isDone) {
        for (let turn = 0; turn < quietTurns && !isDone; turn++) await setImmediate()
        if (!isDone && waiting.size > 0) moveOn()
      }
      return await done
    },
  }
}
