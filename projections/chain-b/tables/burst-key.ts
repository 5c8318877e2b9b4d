/** The key and the partition of all tables about bursts. The key is the time of the signal and the mint. */

import type { RowKey } from '../../../schemas/chain-b/derived.ts'
import { dayMs } from '../../../schemas/units.ts'

export const burstKey = ['at_ms', 'mint'] as const

export const burstPartition = { column: 'at_ms', everyMs: 30 * dayMs } as const

export const withdrawnBurst = ({ atMs }: RowKey, mint: string) => ({ mint, at_ms: atMs })
