import type { EpochMs } from '../../schemas/units.ts'
import type { Lookup, QuestionFields } from './lookup.ts'

/** An open question on the derived topic. */
export type Question = Readonly<{
  lookup: Lookup
  partition: number
  /** The key of the question in the log. The answer gets the same key. */
  key: string
  seenAtMs: EpochMs
  data: QuestionFields
}>

/**
 * Returns the id of a question for one lookup. Questions of different types about one row have the same
 * `questionId`. One question may also have answers of several types. So the id contains the type of the
 * answer.
 */
export const idOf = (
  { answerType }: Pick<Lookup, 'answerType'>,
  { questionId, revision }: Pick<QuestionFields, 'questionId' | 'revision'>,
): string => `${answerType}:${questionId}#${revision}`

/** The maximum age of a live question. Older questions belong to a backfill. */
const liveMs = 600_000

export const isBackfilled = ({ atMs }: Pick<QuestionFields, 'atMs'>, nowMs: EpochMs): boolean => nowMs - atMs > liveMs

const lateMs = 120_000

/**
 * Whether ingest read the question long after its instant, because of a start or of a late stage. Several
 * such questions may be open together. Their order matters for fast lookups, because an answer can depend on
 * earlier answers. An example is whether a buyer is a repeat buyer. Answers of slow lookups, such as prices,
 * do not depend on other answers.
 */
export const isReadLate = ({ lookup, data, seenAtMs }: Question): boolean =>
  lookup.isSlow !== true && seenAtMs - data.atMs > lateMs
