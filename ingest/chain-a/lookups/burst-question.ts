import type { RowKey } from '../../../schemas/chain-a/derived.ts'

export const burstQuestionId = ({ pool, tier, atMs }: RowKey): string => `${pool}:${tier}:${atMs}`
