/** Which questions have an answer, by id. */
import { minuteMs } from '../../schemas/units.ts'

/** `behindSeq`: the tick that the newest answer stands behind among the facts; 0: not known. */
export type Answered = Readonly<{ atMs: number; behindSeq: number }>

export type AnsweredQuestions = Readonly<{
  has(id: string): boolean
  /** Does the answer to the question stand behind this tick? */
  standsBehind(id: string, seq: number): boolean
  /** An answer that is newer than all that are here. */
  add(id: string, answer: Answered): void
  forget(id: string): void
  /** Those of before the instant, or up to a minute later: it may be asked for at each answer. */
  forgetBefore(atMs: number): void
  ids(): Iterable<string>
}>

/** A map is read over the holes that removed entries leave, so each search for old ones costs more than it finds. */
const forgetEveryMs = minuteMs

/** `known`: in any order; the last one of a question counts. */
export function createAnswered(known: Iterable<readonly [id: string, answer: Answered]>): AnsweredQuestions {
  const answers = new Map([...new Map(known)].sort(([, one], [, other]) => one.atMs - other.atMs))
  let forgottenMs = Number.NEGATIVE_INFINITY
  return {
    has: (id) => answers.has(id),
    standsBehind: (id, seq) => (answers.get(id)?.behindSeq ?? 0) >= seq,
    add(id, answer) {
      // To the end: the oldest come first.
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
