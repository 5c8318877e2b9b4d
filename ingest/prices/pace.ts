import { OperationError } from '../../infra/errors.ts'
import type { DurationMs, EpochMs } from '../../schemas/units.ts'
import { type Delay, delay as realDelay } from '../delay.ts'

type PaceOptions = Readonly<{ perMinMax: number; nowMs: () => EpochMs; delay?: Delay }>

export type Pace = Readonly<{
  /**
   * Resolves when the caller may send its request. Urgent requests go first. While other requests wait, at
   * most three urgent requests go in a row. Rejects with `provider_failed` during a rest (a pause that the
   * provider requested).
   */
  turn(signal: AbortSignal, isUrgent?: boolean): Promise<void>
  /**
   * Starts a rest (a pause without requests) after the provider refused a request. `retryAfter` is the value
   * of the Retry-After header, if the provider sent one.
   */
  rest(retryAfter: unknown): void
}>

type Waiting = Readonly<{ isUrgent: boolean }>

/** The maximum number of urgent requests in a row while other requests wait. */
const urgentMax = 3

const restMsDefault = 10_000
/**
 * The longest rest (pause without requests), in ms. If the provider requests a longer one, it is shortened to
 * this value.
 */
const restMsMax = 300_000

/**
 * Spreads the requests to a provider evenly over time, at the rate that the provider allows. During a rest (a
 * pause that the provider requested), requests fail at once instead of waiting.
 */
export function createPace({ perMinMax, nowMs, delay = realDelay }: PaceOptions): Pace {
  const gapMs = 60_000 / perMinMax
  let freeAtMs = Number.NEGATIVE_INFINITY
  let restUntilMs = Number.NEGATIVE_INFINITY
  let restMs = 0
  let urgentInARow = 0
  const waiting: Waiting[] = []

  /**
   * Returns whether this request is the next to be sent. The next request is:
   * - the first urgent request, unless the last three requests were urgent and another request waits
   * - otherwise the first request that is not urgent
   */
  const isNext = (each: Waiting): boolean => {
    const other = waiting.find(({ isUrgent }) => !isUrgent)
    const urgent =
      urgentInARow < urgentMax || other === undefined ? waiting.find(({ isUrgent }) => isUrgent) : undefined
    return each === (urgent ?? other)
  }
  /** Returns the wait before the next request. Even after the clock was set back, it is not longer than `gapMs`. */
  const leftMs = (): DurationMs => {
    freeAtMs = Math.min(freeAtMs, nowMs() + gapMs)
    return freeAtMs - nowMs()
  }
  const refuseInRest = () => {
    restUntilMs = Math.min(restUntilMs, nowMs() + restMs)
    if (nowMs() < restUntilMs) throw new OperationError('provider_failed', 'the provider asked for a pause')
  }

  return {
    async turn(signal, isUrgent = false) {
      refuseInRest()
      const each = { isUrgent }
      waiting.push(each)
      try {
        while (!signal.aborted && (leftMs() > 0 || !isNext(each))) await delay(Math.max(1, leftMs()), signal)
        signal.throwIfAborted()
        refuseInRest()
        freeAtMs = Math.max(freeAtMs, nowMs()) + gapMs
        urgentInARow = isUrgent ? urgentInARow + 1 : 0
      } finally {
        waiting.splice(waiting.indexOf(each), 1)
      }
    },
    rest(retryAfter) {
      restMs = Math.min(restMsMax, restMsOf(retryAfter, nowMs()))
      restUntilMs = nowMs() + restMs
    },
  }
}

/**
 * Returns how long the provider asks to send no requests, in ms. The Retry-After header contains seconds or a
 * date. The result is 10 s if the header is missing or cannot be read.
 */
function restMsOf(retryAfter: unknown, nowMs: EpochMs): DurationMs {
  if (typeof retryAfter !== 'string' || retryAfter === '') return restMsDefault
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - nowMs
  return ms > 0 ? ms : restMsDefault
}
