import type { RowKey } from '../../schemas/stage.ts'

/** What every question record carries. `atMs` is the instant that it asks about. */
export type QuestionFields = Readonly<{ questionId: string; revision: number; atMs: number }>

/** What every answer record carries. `failure` is null unless nothing was found. */
export type AnswerFields = Readonly<{
  questionId: string
  revision: number
  failure: string | null
  answeredAtMs: number
}>

type QuestionRecord = Readonly<{ type: string; data: QuestionFields }>
type AnswerRecord = Readonly<{ type: string; data: AnswerFields }>

type FindContext = Readonly<{
  signal: AbortSignal
  /** Time since the question, by the block time or by when it was read, whichever is earlier. */
  ageMs(): number
}>

/** Found, or why not all of it is known yet. */
type Finding<Found> = Readonly<{ found: Found } | { missing: string }>

/**
 * Gives one type of answer to one type of question that a stage's derived records ask of the outside world; the answer is a
 * fact. Two lookups may answer the same questions. Methods, not properties: a chain lists lookups of any types.
 */
export type Lookup<
  Question extends QuestionRecord = QuestionRecord,
  Answer extends AnswerRecord = AnswerRecord,
  Found = unknown,
> = Readonly<{
  questionType: Question['type']
  answerType: Answer['type']
  /** A live question is asked no earlier than this after its instant. */
  askAfterMs: number
  /** Its questions may be many and slow, so those of other lookups do not wait behind them. Default: they are not. */
  isSlow?: boolean
  /**
   * While something is missing it is asked again until this long after the question, others going before it in between, and
   * only then it has failed. Default: a few times in a row.
   */
  askForMs?: number
  /** Of a slow lookup: an answer is of use within seconds only, so the question waits behind no other. Default: none is. */
  isUrgent?(asked: Question['data']): boolean
  /** The `questionId` of a question whose row was withdrawn. `token` is the key of the question on the log. */
  questionIdOf(key: RowKey, token: string): string
  /**
   * Asked again a few times while something is missing. Throws where asking again is of no use: `nothing_found` where whoever
   * was asked says that there is no such thing.
   */
  find(asked: Question['data'], context: FindContext): Promise<Finding<Found>>
  /** The answer's other fields. `found` null: the lookup failed; `isNothing`: there is no such thing. */
  answerOf(asked: Question['data'], found: Found | null, isNothing?: boolean): Omit<Answer['data'], keyof AnswerFields>
}>
