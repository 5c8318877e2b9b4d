import { OperationError } from '../../infra/errors.ts'
import type { DurationMs, EpochMs } from '../../schemas/units.ts'
import { type Delay, delay as realDelay } from '../delay.ts'

type PaceOptions = Readonly<{ perMinMax: number; nowMs: () => EpochMs; delay?: Delay }>

export type Pace = Readonly<{
  /**
   * Resolves when the next request may be sent. Urgent ones go first, at most three in a row while others wait. Fails
   * with `provider_failed` during a rest that the provider asked for.
   */
  turn(signal: AbortSignal, isUrgent?: boolean): Promise<void>
  /** Starts a rest after a refusal. `retryAfter`: a Retry-After header, if the provider sent one. */
  rest(retryAfter: unknown): void
}>

type Waiting = Readonly<{ isUrgent: boolean }>

/** Urgent requests in a row while others wait. */
const urgentMax = 3

const restMsDefault = 10_000
/** The longest rest, whatever the provider asks for. */
const restMsMax = 300_000

/**
 * Spreads requests evenly, at the rate that a provider allows. Requests do not wait for the end of a rest, but fail at
 * once.
 */
export function createPace({ perMinMax, nowMs, delay = realDelay }: PaceOptions): Pace {
  const gapMs = 60_000 / perMinMax
  let freeAtMs = Number.NEGATIVE_INFINITY
  let restUntilMs = Number.NEGATIVE_INFINITY
  let urgentInARow = 0
  const waiting: Waiting[] = []

  /** Whether it is this one's turn: the first urgent request, and at times the first of the others. */
  const isNext = (each: Waiting): boolean => {
    const other = waiting.find(({ isUrgent }) => !isUrgent)
    const urgent =
      urgentInARow < urgentMax || other === undefined ? waiting.find(({ isUrgent }) => isUrgent) : undefined
    return each === (urgent ?? other)
  }
  const refuseInRest = () => {
    if (nowMs() < restUntilMs) throw new OperationError('provider_failed', 'the provider asked for a rest')
  }

  return {
    async turn(signal, isUrgent = false) {
      refuseInRest()
      const each = { isUrgent }
      waiting.push(each)
      try {
        while (!signal.aborted && (freeAtMs > nowMs() || !isNext(each)))
          await delay(Math.max(1, freeAtMs - nowMs()), signal)
        signal.throwIfAborted()
        refuseInRest()
        freeAtMs = Math.max(freeAtMs, nowMs()) + gapMs
        urgentInARow = isUrgent ? urgentInARow + 1 : 0
      } finally {
        waiting.splice(waiting.indexOf(each), 1)
      }
    },
    rest(retryAfter) {
      restUntilMs = nowMs() + Math.min(restMsMax, restMsOf(retryAfter, nowMs()))
    },
  }
}

/** The header holds seconds or a date. */
function restMsOf(retryAfter: unknown, nowMs: EpochMs): DurationMs {
  if (typeof retryAfter !== 'string' || retryAfter === '') return restMsDefault
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - nowMs
  return ms > 0 ? ms : restMsDefault
}
