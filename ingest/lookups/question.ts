import type { EpochMs } from '../../schemas/units.ts'
import type { Lookup, QuestionFields } from './lookup.ts'

/** An open question on the derived topic. */
export type Question = Readonly<{
  lookup: Lookup
  partition: number
  /** The key of the question on the log. The answer gets the same key. */
  key: string
  seenAtMs: EpochMs
  data: QuestionFields
}>

/**
 * The id of a question for one lookup. Questions of different types about one row have the same `questionId`, and one question may have
 * answers of several types.
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
 * Whether ingest read the question long after its instant, after a start or while the stage was behind. Several such questions may be open
 * at once. Their order matters for fast lookups, whose answers can depend on earlier ones: for example, whether a buyer is a repeat buyer.
 * Answers of slow lookups, such as prices, do not depend on others.
 */
export const isReadLate = ({ lookup, data, seenAtMs }: Question): boolean =>
  lookup.isSlow !== true && seenAtMs - data.atMs > lateMs
