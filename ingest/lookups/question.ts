import type { OwnersAsked, SendersAsked } from '../../schemas/chain-a/derived.ts'

/** What the stage asks of the outside, as it stands in derived. */
export type Question = Readonly<{ partition: number; token: string; seenAtMs: number }> &
  Readonly<{ type: 'SendersAsked'; asked: SendersAsked } | { type: 'OwnersAsked'; asked: OwnersAsked }>

export type QuestionType = Question['type']

/** The type of the answer to each. */
export const answerTypes = { SendersAsked: 'SendersAnswered', OwnersAsked: 'OwnersAnswered' } as const

export const questionTypes = Object.keys(answerTypes) as readonly QuestionType[]

export const isQuestionType = (type: string | null): type is QuestionType => type !== null && type in answerTypes

type Named = Readonly<{ questionId: string; revision: number }>

/** Both are asked about the same bursts, under the same names. */
export const idOf = (type: QuestionType, { questionId, revision }: Named): string => `${type}:${questionId}#${revision}`

/** So old a burst is no news to anybody. */
const liveMs = 600_000

export const isBackfilled = ({ atMs }: Readonly<{ atMs: number }>, nowMs: number): boolean => nowMs - atMs > liveMs
