import type { RowKey } from '../../../schemas/chain-a/derived.ts'

/** The id of a question about a burst. */
export const burstQuestionId = ({ pool, tier, atMs }: RowKey): string => `${pool}:${tier}:${atMs}`
