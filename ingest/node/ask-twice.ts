/**
 * If a request takes several times the usual time, a second copy is sent beside the first, which may only be slow. The
 * first answer counts. A node that is slow with everything does not get many more requests, because answers earn the
 * second copies, and because slow answers raise the usual time.
 */

import type { EpochMs } from '../../schemas/units.ts'
import type { Delay } from '../delay.ts'

/** The most copies of one request, including the first. */
const copiesMax = 3
/** Ten answers earn one second copy. At most ten copies are saved up. */
const earnedPerAnswer = 0.1
const earnedMax = 10

type Outcome<Result> = Readonly<{ kind: 'late' }> | Readonly<{ kind: 'answer'; answer: Result }>

type Question<Result> = Readonly<{
  /** Requests of one kind take about the same time. There are few kinds. */
  kind: string
  /** The signal aborts when the answer is no longer wanted. */
  ask(signal: AbortSignal): Promise<Result>
  signal: AbortSignal
}>

export type AskTwice = <Result>(question: Question<Result>) => Promise<Result>

type Options = Readonly<{
  timer: Delay
  nowMs: () => EpochMs
  /** Whether the node may be asked now. It may have asked for a pause. */
  isWelcome(): boolean
}>

/** Settles as the first finished copy does, with its answer or failure. The other copies are abandoned. */
export function createAskTwice({ timer, nowMs, isWelcome }: Options): AskTwice {
  const usual = createUsualLatency()
  let earned = earnedMax

  const askTimed = async <Result>({ kind, ask }: Question<Result>, signal: AbortSignal): Promise<Outcome<Result>> => {
    const startedAtMs = nowMs()
    const answer = await ask(signal)
    usual.heard(kind, nowMs() - startedAtMs)
    earned = Math.min(earnedMax, earned + earnedPerAnswer)
    return { kind: 'answer', answer }
  }

  return async (question) => {
    const stop = new AbortController()
    const abort = () => stop.abort(question.signal.reason)
    question.signal.addEventListener('abort', abort, { once: true })
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
      question.signal.removeEventListener('abort', abort)
      stop.abort()
    }
  }
}

/** Derives from recent answers of a kind how long to wait until the next one counts as late. */
type UsualLatency = Readonly<{
  heard(kind: string, tookMs: number): void
  lateAfterMs(kind: string): number
}>

const rememberedMax = 64
const fewest = 5
/** Nine of ten answers took less than the usual time. A late one takes several times as long. */
const usualShare = 0.9
const lateFactor = 3
/** Pauses of this process, or of a nearby node, must not count as late. */
const lateMsMin = 500
/** When an answer counts as late while there are too few earlier answers of its kind to compare with. */
const lateMsUnknown = 2_000

/** The caller names the kinds, so there are few. */
function createUsualLatency(): UsualLatency {
  const latencies = new Map<string, number[]>()
  return {
    heard(kind, tookMs) {
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
