/** The key and partition of all tables of a burst. The key is the instant of the signal and the mint. */

import type { RowKey } from '../../../schemas/chain-b/derived.ts'
import { dayMs } from '../../../schemas/units.ts'

export const burstKey = ['at_ms', 'mint'] as const

export const burstPartition = { column: 'at_ms', everyMs: 30 * dayMs } as const

export const withdrawnBurst = ({ atMs }: RowKey, mint: string) => ({ mint, at_ms: atMs })
