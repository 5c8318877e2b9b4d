/**
 * Sends a second copy of a request that takes several times the usual time, because perhaps only the first
 * copy is slow. The first answer counts. A node that is slow with all requests gets few copies, for two
 * reasons. The number of answers limits the number of copies. Slow answers increase the usual time.
 */

import { onAbort } from '../../infra/on-abort.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { Delay } from '../delay.ts'

/** The maximum number of copies of one request, including the first. */
const copiesMax = 3
/** Each answer allows this part of a further copy. Unused parts add up to at most ten copies. */
const earnedPerAnswer = 0.1
const earnedMax = 10

type Outcome<Result> = Readonly<{ kind: 'late' }> | Readonly<{ kind: 'answer'; answer: Result }>

type Question<Result> = Readonly<{
  /** The kind of the request. Requests of one kind take about the same time. There are few kinds. */
  kind: string
  /** Sends one copy. The signal aborts when the answer is no longer needed. */
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
 * Creates the function that sends a request in copies. The first copy that finishes gives the answer or the failure. The other copies are
 * abandoned.
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
 * Computes how long to wait for a copy before the next copy is sent, from the times of recent answers of the same kind.
 */
type UsualLatency = Readonly<{
  noteDuration(kind: string, tookMs: number): void
  lateAfterMs(kind: string): number
}>

const rememberedMax = 64
const fewest = 5
/**
 * Nine of ten recent answers took less than the usual time. A request is slow after three times the usual
 * time.
 */
const usualShare = 0.9
const lateFactor = 3
/**
 * The minimum wait before a further copy. With this minimum, a short pause of this process or of a nearby
 * node causes no copy.
 */
const lateMsMin = 500
/** The wait before a further copy while there are too few answers of the kind to compute the usual time. */
const lateMsUnknown = 2_000

/** Keeps the times of recent answers by kind. There are few kinds, so the map stays small. */
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
