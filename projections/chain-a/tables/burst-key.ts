/**
 * The key and the partition of all tables about bursts. The key is the time of the signal, the pool and the
 * tier.
 */

import type { RowKey } from '../../../schemas/chain-a/derived.ts'
import { dayMs } from '../../../schemas/units.ts'

export const burstKey = ['at_ms', 'pool', 'tier'] as const

export const burstPartition = { column: 'at_ms', everyMs: 30 * dayMs } as const

export const withdrawnBurst = ({ pool, tier, atMs }: RowKey) => ({ pool, tier, at_ms: atMs })
