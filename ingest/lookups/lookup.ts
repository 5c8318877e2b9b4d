import type { RowKey } from '../../schemas/stage.ts'
import type { DurationMs, EpochMs } from '../../schemas/units.ts'

/** The fields of every question record. `atMs` is the instant that the question is about. */
export type QuestionFields = Readonly<{ questionId: string; revision: number; atMs: EpochMs }>

/** The fields of every answer record. `failure` is null unless nothing was found. */
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
  /** The time since the question, counted from its block time or from its read, whichever is earlier. */
  ageMs(): DurationMs
}>

/** The result, or the reason why it is not complete yet. */
type Finding<Found> = Readonly<{ found: Found } | { missing: string }>

/**
 * Answers one type of question of a stage's derived records from the outside world. The answer is a fact. Two lookups
 * may answer the same questions. Methods, not properties, because a chain lists lookups of any types.
 */
export type Lookup<
  Question extends QuestionRecord = QuestionRecord,
  Answer extends AnswerRecord = AnswerRecord,
  Found = unknown,
> = Readonly<{
  questionType: Question['type']
  answerType: Answer['type']
  /** A live question is asked no earlier than this after its instant. */
  askAfterMs: DurationMs
  /** Its questions may be many and slow, so those of other lookups do not wait for them. Default: false. */
  isSlow?: boolean
  /**
   * How long after its instant a question is retried while its answer is incomplete. Other questions are answered between
   * the attempts. After this time the question fails. Default: it fails after a few attempts in a row.
   */
  askForMs?: DurationMs
  /**
   * For a slow lookup: an answer is only useful within seconds, so the question goes before all others. Default: none
   * is urgent.
   */
  isUrgent?(asked: Question['data']): boolean
  /** The `questionId` of a question whose row was withdrawn. `token` is the key of the question on the log. */
  questionIdOf(key: RowKey, token: string): string
  /**
   * Called again a few times while something is missing. Throws if another attempt is useless: `nothing_found` if the
   * provider says that there is no such thing.
   */
  find(asked: Question['data'], context: FindContext): Promise<Finding<Found>>
  /** The answer's other fields. `found` is null if the lookup failed. `isNothing`: there is no such thing. */
  answerOf(asked: Question['data'], found: Found | null, isNothing?: boolean): Omit<Answer['data'], keyof AnswerFields>
}>
