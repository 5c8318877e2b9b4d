import { OperationError } from '../../infra/errors.ts'
import { type Delay, delay as realDelay } from '../delay.ts'

type PaceOptions = Readonly<{ perMinMax: number; nowMs: () => number; delay?: Delay }>

export type Pace = Readonly<{
  /** Resolves when the next request may be sent. Fails with `provider_failed` while the provider asked for a rest. */
  turn(signal: AbortSignal): Promise<void>
  /** The provider refused for now; it may say for how long, in the words of HTTP. */
  rest(retryAfter: unknown): void
}>

const restMsDefault = 10_000
/** A provider does not silence us for longer, whatever it says. */
const restMsMax = 300_000

/** Spreads requests evenly, as far as a provider allows them. Nobody waits out a rest: who asks then fails at once. */
export function createPace({ perMinMax, nowMs, delay = realDelay }: PaceOptions): Pace {
  const gapMs = 60_000 / perMinMax
  let freeAtMs = Number.NEGATIVE_INFINITY
  let restUntilMs = Number.NEGATIVE_INFINITY
  return {
    async turn(signal) {
      if (nowMs() < restUntilMs) throw new OperationError('provider_failed', 'the provider asked for a rest')
      const waitMs = freeAtMs - nowMs()
      freeAtMs = Math.max(freeAtMs, nowMs()) + gapMs
      if (waitMs > 0) await delay(waitMs, signal)
      signal.throwIfAborted()
    },
    rest(retryAfter) {
      restUntilMs = nowMs() + Math.min(restMsMax, restMsOf(retryAfter, nowMs()))
    },
  }
}

/** Seconds, or a date. */
function restMsOf(retryAfter: unknown, nowMs: number): number {
  if (typeof retryAfter !== 'string' || retryAfter === '') return restMsDefault
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - nowMs
  return ms > 0 ? ms : restMsDefault
}
