/**
 * A request without an answer after several times the usual time is asked a second time beside the first, which may only be
 * slow: the first to answer counts. A node that is slow with everything is not asked much more, because answers earn the
 * second questions, and because slow answers make the usual time longer.
 */
import type { Delay } from '../delay.ts'
import { createUsualLatency } from './usual-latency.ts'

/** Most copies of one request, the first included. */
const copiesMax = 3
/** One second question for ten answers, and so many saved up. */
const earnedPerAnswer = 0.1
const earnedMax = 10

type Outcome<Result> = Readonly<{ kind: 'late' }> | Readonly<{ kind: 'answer'; answer: Result }>

type Question<Result> = Readonly<{
  /** Questions of one kind take about as long. There are few kinds. */
  kind: string
  /** Its signal aborts when the answer is no longer wanted. */
  ask(signal: AbortSignal): Promise<Result>
  signal: AbortSignal
}>

export type AskTwice = <Result>(question: Question<Result>) => Promise<Result>

type Options = Readonly<{
  timer: Delay
  nowMs: () => number
  /** Whether the node may be asked now: it may want to be left alone. */
  isWelcome(): boolean
}>

/** Ends as the first copy that ends: with its answer, or with its failure. The others are given up. */
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
