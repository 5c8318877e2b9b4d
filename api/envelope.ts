/** The fields that every answer has. */
import { z } from 'zod'
import type { StageCut } from '../projections/cuts.ts'
import { fieldsOf } from './resource.ts'
import { count, epochMs } from './values.ts'

/**
 * The time for which an answer was computed (`atMs`), and the time of the newest block that the answer
 * includes.
 */
export type AnswerTime = Pick<StageCut, 'atMs' | 'blockAtMs'>

/** Returns the whole seconds from the newest block to the time of the answer. */
const ageSecOf = ({ atMs, blockAtMs }: AnswerTime): number => Math.max(0, Math.floor((atMs - blockAtMs) / 1000))

const { now } = fieldsOf<AnswerTime>()

export const timeFields = {
  schemaVersion: now(z.literal(1), 'Version of the shape of answers.', () => 1 as const),
  generatedAt: now(
    epochMs,
    'The cut, epoch ms: the answer contains what was known at this instant.',
    ({ atMs }) => atMs,
  ),
  ageSec: now(count, 'Seconds from the newest block to the cut.', ageSecOf),
}
