import type { RowKey } from '../../schemas/stage.ts'
import type { DurationMs, EpochMs } from '../../schemas/units.ts'

/**
 * The fields of every question record. A question asks ingest for data from an outside source. `atMs` is the
 * time to which the question refers.
 */
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
   * Returns the age of the question. The age is counted from the earlier of two times: `atMs`, and the time
   * at which ingest read the question.
   */
  ageMs(): DurationMs
}>

/** The found data, or the reason why they are not complete yet. */
type Finding<Found> = Readonly<{ found: Found } | { missing: string }>

/**
 * Answers one type of question with data from an outside source. A question is a derived record of a stage
 * (the processor of the chain's facts). The answers are written as facts. Two lookups may answer the same
 * questions. The functions are declared as methods, so that a chain can list lookups of different types.
 */
export type Lookup<
  Question extends QuestionRecord = QuestionRecord,
  Answer extends AnswerRecord = AnswerRecord,
  Found = unknown,
> = Readonly<{
  questionType: Question['type']
  answerType: Answer['type']
  /**
   * The minimum time from a question's `atMs` to its lookup. It applies to live questions, which are less
   * than 10 minutes old.
   */
  askAfterMs: DurationMs
  /**
   * Whether the lookup has many questions with slow answers. If true, the questions of other lookups do not
   * wait for them. Default: false.
   */
  isSlow?: boolean
  /**
   * The time after a question's `atMs` in which the lookup tries again if its answer is incomplete. Other
   * questions are answered between the attempts. After this time, the question fails. Default: the question
   * fails after a few attempts in a row. A question that ingest reads later gets these attempts too.
   */
  askForMs?: DurationMs
  /**
   * Whether the lookup often finds nothing. Its failure is then normal, and it makes no attempts in a row. Default:
   * false.
   */
  oftenFails?: boolean
  /**
   * For a slow lookup: whether the answer to this question is useful only within seconds. Such a question is
   * answered before all others. Default: no question is urgent.
   */
  isUrgent?(question: Question['data']): boolean
  /**
   * Returns the `questionId` that belongs to a row. The caller uses it for rows that the stage has withdrawn
   * after a reorg. `token` is the key of the question record.
   */
  questionIdOf(key: RowKey, token: string): string
  /**
   * Looks up the data for a question. While a part of the data is missing, this function is called again.
   * Throws if another attempt is useless. Throws `nothing_found` if the provider answers that the requested
   * data do not exist.
   */
  find(question: Question['data'], context: FindContext): Promise<Finding<Found>>
  /**
   * Returns the fields of the answer record that only this lookup has. `found` is null if the lookup failed.
   * `isNothing` is true if the provider does not have the requested data.
   */
  answerOf(
    question: Question['data'],
    found: Found | null,
    isNothing?: boolean,
  ): Omit<Answer['data'], keyof AnswerFields>
}>
