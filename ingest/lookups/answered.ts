/** The ids of the answered questions. */
import { type EpochMs, minuteMs } from '../../schemas/units.ts'

/** `behindSeq`: the number of the last tick before the newest answer. 0 if it is unknown. */
export type Answered = Readonly<{ atMs: EpochMs; behindSeq: number }>

export type AnsweredQuestions = Readonly<{
  has(id: string): boolean
  /** Whether the answer to the question comes after this tick. */
  standsBehind(id: string, seq: number): boolean
  /** Adds an answer. It must be newer than all others here. */
  add(id: string, answer: Answered): void
  forget(id: string): void
  /**
   * Forgets the answers from before the instant. This may run up to a minute late, so it can be called at each answer.
   */
  forgetBefore(atMs: EpochMs): void
  ids(): Iterable<string>
}>

/** Iterating a map also visits the holes of removed entries, so frequent searches would cost more than they free. */
const forgetEveryMs = minuteMs

/** `known`: in any order. For each question the last answer counts. */
export function createAnswered(known: Iterable<readonly [id: string, answer: Answered]>): AnsweredQuestions {
  const answers = new Map([...new Map(known)].sort(([, one], [, other]) => one.atMs - other.atMs))
  let forgottenMs = Number.NEGATIVE_INFINITY
  return {
    has: (id) => answers.has(id),
    standsBehind: (id, seq) => (answers.get(id)?.behindSeq ?? 0) >= seq,
    add(id, answer) {
      // Moves the answer to the end, so that the oldest come first.
      answers.delete(id)
      answers.set(id, answer)
    },
    forget: (id) => void answers.delete(id),
    forgetBefore(fromMs) {
      if (fromMs < forgottenMs + forgetEveryMs) return
      forgottenMs = fromMs
      for (const [id, { atMs }] of answers) {
        if (atMs >= fromMs) break
        answers.delete(id)
      }
    },
    ids: () => answers.keys(),
  }
}
