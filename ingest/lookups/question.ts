import type { EpochMs } from '../../schemas/units.ts'
import type { Lookup, QuestionFields } from './lookup.ts'

/** A question record of the derived topic that has no answer yet. */
export type Question = Readonly<{
  lookup: Lookup
  partition: number
  /** The Kafka key of the question record. The answer gets the same key. */
  key: string
  seenAtMs: EpochMs
  data: QuestionFields
}>

/**
 * Returns the id of a question for one lookup. Different questions about one row have the same `questionId`,
 * and several lookups may answer one question. So the id also contains the type of the answer.
 */
export const idOf = (
  { answerType }: Pick<Lookup, 'answerType'>,
  { questionId, revision }: Pick<QuestionFields, 'questionId' | 'revision'>,
): string => `${answerType}:${questionId}#${revision}`

/**
 * The maximum age of a live question, in milliseconds. Older questions come from a backfill, in which ingest
 * reads the past of the chain.
 */
const liveMs = 600_000

export const isBackfilled = ({ atMs }: Pick<QuestionFields, 'atMs'>, nowMs: EpochMs): boolean => nowMs - atMs > liveMs

const lateMs = 120_000

/**
 * Whether ingest read the question long after its `atMs`. This happens after a start, or if the stage is
 * late. Several such questions may be open together. Their order matters for fast lookups, because an answer
 * can depend on earlier answers. For example, it shows whether a buyer has bought before. The answers of slow
 * lookups, such as prices, do not depend on other answers.
 */
export const isReadLate = ({ lookup, data, seenAtMs }: Question): boolean =>
  lookup.isSlow !== true && seenAtMs - data.atMs > lateMs
