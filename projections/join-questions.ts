/**
 * Joins questions about different subjects (tokens, pools or wallets) to one query. ClickHouse takes longer to plan a query than
 * to read a few rows. So a query for several subjects takes little longer than a query for one.
 *
 *   question        a  b  c  d  e            f
 *   first query     a ───────────── c, d, e ─────────
 *   second query       b ─────────────────────── f ───
 */
import type { Database } from '../infra/clickhouse/database.ts'

type Queries = Pick<Database, 'query'>

export type Joining<Question, Answer> = Readonly<{
  /** The maximum number of questions that one query answers. */
  joinedMax?: number
  /** Returns equal texts for questions that one query can answer. The subject is not part of the question. */
  kindOf(question: Question): string
  /** Queries what the answers about these different subjects need. The result returns the answer about one of them. */
  askAll(
    database: Queries,
    question: Question,
    subjects: readonly string[],
  ): Promise<(subject: string) => Answer | Promise<Answer>>
}>

type Waiting<Answer> = Readonly<{
  subject: string
  resolve(answer: Answer): void
  reject(failure: unknown): void
}>

const joinedMaxDefault = 32

/**
 * The maximum number of joined queries of a database at the same time. With more, fewer questions would wait, so each
 * query would answer fewer of them. With one, a slow query would delay all others.
 */
const atOnce = 2

/** Returns a function that runs each work in the order of the calls, at most `atOnce` at the same time. */
function createTurns() {
  const waiting: (() => Promise<void>)[] = []
  let running = 0
  const runOn = async () => {
    running++
    for (let work = waiting.shift(); work !== undefined; work = waiting.shift()) await work()
    running--
  }
  return (work: () => Promise<void>): void => {
    waiting.push(work)
    if (running < atOnce) void runOn()
  }
}

const turnsOf = new WeakMap<Queries, ReturnType<typeof createTurns>>()

/**
 * Returns a function that asks about one subject. A question waits only while two queries run. Then all waiting
 * questions of its kind are asked together.
 */
export function joinQuestions<Question, Answer>({
  kindOf,
  askAll,
  joinedMax = joinedMaxDefault,
}: Joining<Question, Answer>) {
  type Asked = readonly Waiting<Answer>[]
  const waitingOn = new WeakMap<Queries, Map<string, Waiting<Answer>[]>>()

  const askTogether = async (database: Queries, question: Question, asked: Asked): Promise<void> => {
    const subjects = [...new Set(asked.map(({ subject }) => subject))]
    const ofSubject = (subject: string) => asked.filter((one) => one.subject === subject)
    try {
      const answerOf = await askAll(database, question, subjects)
      await Promise.all(
        subjects.map(async (subject) => {
          try {
            const answer = await answerOf(subject)
            for (const { resolve } of ofSubject(subject)) resolve(answer)
          } catch (failure) {
            for (const { reject } of ofSubject(subject)) reject(failure)
          }
        }),
      )
    } catch (failure) {
      // If each were not asked alone, one subject whose rows cannot be read would fail the questions of others.
      if (subjects.length > 1) await Promise.all(subjects.map((one) => askTogether(database, question, ofSubject(one))))
      else for (const { reject } of asked) reject(failure)
    }
  }

  return (database: Queries, question: Question, subject: string): Promise<Answer> => {
    const takeTurn = turnsOf.get(database) ?? createTurns()
    turnsOf.set(database, takeTurn)
    const kinds = waitingOn.get(database) ?? new Map<string, Waiting<Answer>[]>()
    waitingOn.set(database, kinds)
    const kind = kindOf(question)
    return new Promise((resolve, reject) => {
      const asked = { subject, resolve, reject }
      const known = kinds.get(kind)
      if (known !== undefined && known.length < joinedMax) {
        known.push(asked)
        return
      }
      const together = [asked]
      kinds.set(kind, together)
      takeTurn(() => {
        if (kinds.get(kind) === together) kinds.delete(kind)
        return askTogether(database, question, together)
      })
    })
  }
}

/**
 * A condition that a column has one of the texts, which may come from outside. There is at least one text. Each is a
 * parameter of its own, because the client library does not escape a list of texts for a server.
 */
export function oneOf(
  texts: readonly string[],
): Readonly<{ sql: string; parameters: Readonly<Record<string, string>> }> {
  const names = texts.map((_, index) => `text${index}`)
  const places = names.map((name) => `{${name}:String}`)
  return {
    sql: places.length === 1 ? `= ${places[0]}` : `IN (${places.join(', ')})`,
    parameters: Object.fromEntries(names.map((name, index) => [name, texts[index] as string])),
  }
}
