import type { RowKey } from '../../schemas/stage.ts'
import type { DurationMs, EpochMs } from '../../schemas/units.ts'

/** The fields of every question record. `atMs` is the instant of the question. */
export type QuestionFields = Readonly<{ questionId: string; revision: number; atMs: EpochMs }>

/** The fields of every answer record. `failure` is null, or the reason why nothing was found. */
export type AnswerFields = Readonly<{
  questionId: string
  revision: number
  failure: string | null
  answeredAtMs: EpochMs
}>

type QuestionRecord = Readonly<{ type: string; data: QuestionFields }>
type AnswerRecord = Readonly<{ type: string; data: AnswerFields }>

type FindContext = Readonly<{
  signal: AbortSignal
  /**
   * The age of the question. The age is counted from the earlier of two times: `atMs`, and the time at which
   * ingest read the question.
   */
  ageMs(): DurationMs
}>

/** The result of a lookup, or the reason why the answer is not complete yet. */
type Finding<Found> = Readonly<{ found: Found } | { missing: string }>

/**
 * A lookup answers one type of question with data from an outside source. The questions are derived records
 * of a stage. The answers are facts. Two lookups may answer the same questions. The functions are declared as
 * methods, so that a chain can list lookups of different types.
 */
export type Lookup<
  Question extends QuestionRecord = QuestionRecord,
  Answer extends AnswerRecord = AnswerRecord,
  Found = unknown,
> = Readonly<{
  questionType: Question['type']
  answerType: Answer['type']
  /** The minimum time between the instant of a live question and its lookup. */
  askAfterMs: DurationMs
  /**
   * Whether the lookup may have many questions with slow answers. If true, questions of other lookups do not
   * wait for these questions. Default: false.
   */
  isSlow?: boolean
  /**
   * The time after a question's instant in which an incomplete answer is retried. Other questions are
   * answered between the attempts. After this time, the question fails. Default: the question fails after a
   * few attempts in a row.
   */
  askForMs?: DurationMs
  /**
   * For a slow lookup: whether the answer is useful only within seconds. Such a question is answered before
   * all others. Default: no question is urgent.
   */
  isUrgent?(question: Question['data']): boolean
  /** Returns the `questionId` of a question whose row was withdrawn. `token` is the key of the question on the log. */
  questionIdOf(key: RowKey, token: string): string
  /**
   * Looks up the answer. This function is called again while a part of the answer is missing. Throws if
   * another attempt is useless. Throws `nothing_found` if the provider answers that the requested data do not
   * exist.
   */
  find(question: Question['data'], context: FindContext): Promise<Finding<Found>>
  /**
   * Returns the other fields of the answer. `found` is null if the lookup failed. `isNothing` is true if the
   * provider does not have the requested data.
   */
  answerOf(
    question: Question['data'],
    found: Found | null,
    isNothing?: boolean,
  ): Omit<Answer['data'], keyof AnswerFields>
}>
