/**
 * Sends a copy of a request to the node if the answer takes much longer than usual, because another attempt
 * may be faster. The first answer is used. A node that is slow with all requests gets few copies: each answer
 * allows only a tenth of a copy, and slow answers raise the usual time.
 */

import { onAbort } from '../../infra/on-abort.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { Delay } from '../delay.ts'

/** The maximum number of times that one request is sent, including the first time. */
const copiesMax = 3
/** The fraction of a copy that each answer allows. Unused fractions add up to at most `earnedMax` copies. */
const earnedPerAnswer = 0.1
const earnedMax = 10

type Outcome<Result> = Readonly<{ kind: 'late' }> | Readonly<{ kind: 'answer'; answer: Result }>

type Question<Result> = Readonly<{
  /** The kind of the request, for example its method. Requests of one kind take about the same time. */
  kind: string
  /** Sends the request one time. The signal aborts when the answer is no longer needed. */
  ask(signal: AbortSignal): Promise<Result>
  signal: AbortSignal
}>

export type AskTwice = <Result>(question: Question<Result>) => Promise<Result>

type Options = Readonly<{
  timer: Delay
  nowMs: () => EpochMs
  /** Whether the node may get a request now. False during a pause that the node has requested. */
  isWelcome(): boolean
}>

/**
 * Creates the function that sends a request, and sends copies of it if the answer is slow. The copy that
 * finishes first gives the answer or the failure. The others are aborted.
 */
export function createAskTwice({ timer, nowMs, isWelcome }: Options): AskTwice {
  const usual = createUsualLatency()
  let earned = earnedMax

  const askTimed = async <Result>({ kind, ask }: Question<Result>, signal: AbortSignal): Promise<Outcome<Result>> => {
    const startedAtMs = nowMs()
    const answer = await ask(signal)
    usual.noteDuration(kind, nowMs() - startedAtMs)
    earned = Math.min(earnedMax, earned + earnedPerAnswer)
    return { kind: 'answer', answer }
  }

  return async (question) => {
    const stop = new AbortController()
    const withdraw = onAbort(question.signal, () => stop.abort(question.signal.reason))
    try {
      question.signal.throwIfAborted()
      const copies = [askTimed(question, stop.signal)]
      for (let waitMs = usual.lateAfterMs(question.kind); ; waitMs *= 2) {
        const late = timer(waitMs, stop.signal).then(() => ({ kind: 'late' }) as const)
        const outcome = await Promise.race([...copies, ...(copies.length < copiesMax ? [late] : [])])
        if (outcome.kind === 'answer') return outcome.answer
        question.signal.throwIfAborted()
        if (earned < 1 || !isWelcome()) continue
        earned--
        copies.push(askTimed(question, stop.signal))
      }
    } finally {
      withdraw()
      stop.abort()
    }
  }
}

/**
 * Computes the time after which a request is slow and a copy is sent. The result depends on the duration of
 * recent requests of the same kind.
 */
type UsualLatency = Readonly<{
  noteDuration(kind: string, tookMs: number): void
  lateAfterMs(kind: string): number
}>

const rememberedMax = 64
const fewest = 5
/**
 * The usual time is the duration that nine of ten recent requests did not reach. A request is slow after
 * three times the usual time.
 */
const usualShare = 0.9
const lateFactor = 3
/**
 * The shortest time after which a request can be slow, in milliseconds. With this minimum, a short pause of
 * this process or of a nearby node causes no copy.
 */
const lateMsMin = 500
/**
 * The time after which a request is slow as long as fewer than `fewest` requests of its kind were answered,
 * in milliseconds.
 */
const lateMsUnknown = 2_000

/**
 * Keeps the durations of the last `rememberedMax` requests of each kind. There are few kinds, so the map
 * stays small.
 */
function createUsualLatency(): UsualLatency {
  const latencies = new Map<string, number[]>()
  return {
    noteDuration(kind, tookMs) {
      const taken = latencies.get(kind) ?? []
      taken.push(tookMs)
      if (taken.length > rememberedMax) taken.shift()
      latencies.set(kind, taken)
    },
    lateAfterMs(kind) {
      const taken = latencies.get(kind) ?? []
      if (taken.length < fewest) return lateMsUnknown
      const sorted = [...taken].sort((left, right) => left - right)
      return Math.max(lateMsMin, lateFactor * (sorted[Math.floor(usualShare * sorted.length)] ?? 0))
    },
  }
}
