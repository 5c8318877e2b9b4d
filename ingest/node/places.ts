import { onAbort } from '../../infra/on-abort.ts'

/**
 * Runs `work` as soon as fewer than the maximum number of calls are running. Rejects with the signal's reason
 * if the signal aborts before that.
 */
export type Places = <Result>(work: () => Promise<Result>, signal: AbortSignal) => Promise<Result>

/**
 * Limits the number of calls that run at the same time to `count`. Further calls wait in the order of their
 * arrival.
 */
export function createPlaces(count: number): Places {
  const waiting: (() => void)[] = []
  let free = count

  const turn = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const enter = () => {
        withdraw()
        resolve()
      }
      const leave = () => {
        waiting.splice(waiting.indexOf(enter), 1)
        reject(signal.reason)
      }
      const withdraw = onAbort(signal, leave)
      waiting.push(enter)
    })

  return async (work, signal) => {
    if (free > 0) free--
    else await turn(signal)
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}
