/**
 * Remembers which questions already have an answer. A question is a record that asks ingest for outside data.
 */
import { type EpochMs, minuteMs } from '../../schemas/units.ts'

/**
 * The newest answer to a question. `behindSeq` is the number of the last tick (the record that closes a time
 * step) before the answer. It is 0 if that number is unknown.
 */
export type Answered = Readonly<{ atMs: EpochMs; behindSeq: number }>

export type AnsweredQuestions = Readonly<{
  has(id: string): boolean
  /** Whether the answer to the question was written after the tick with the number `seq`. */
  standsBehind(id: string, seq: number): boolean
  /** Adds an answer, which must be newer than all answers added before. */
  add(id: string, answer: Answered): void
  forget(id: string): void
  /**
   * Forgets the answers from before this time. The caller may call this function at each answer, because it
   * searches the map at most one time per minute.
   */
  forgetBefore(atMs: EpochMs): void
  ids(): Iterable<string>
}>

/**
 * The minimum time between two searches for old answers, in milliseconds. A search also visits the empty
 * places of removed entries, so frequent searches would be slow.
 */
const forgetEveryMs = minuteMs

/**
 * `known` are the answers from before the start. They need not be sorted by time. If a question has several
 * answers in `known`, the last one counts.
 */
export function createAnswered(known: Iterable<readonly [id: string, answer: Answered]>): AnsweredQuestions {
  const answers = new Map([...new Map(known)].sort(([, one], [, other]) => one.atMs - other.atMs))
  let forgottenMs = Number.NEGATIVE_INFINITY
  return {
    has: (id) => answers.has(id),
    standsBehind: (id, seq) => (answers.get(id)?.behindSeq ?? 0) >= seq,
    add(id, answer) {
      // Moves the answer to the end of the map, so that the oldest answers come first.
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
