import type { RowKey } from '../../../schemas/chain-a/derived.ts'

/** Questions about a burst are named after it. */
export const burstQuestionId = ({ pool, tier, atMs }: RowKey): string => `${pool}:${tier}:${atMs}`
