/**
 * The key and the partition of all tables about graduations. The key is the time of the graduation and the
 * mint.
 */

import type { RowKey } from '../../../schemas/chain-b/derived.ts'
import { dayMs } from '../../../schemas/units.ts'

export const graduationKey = ['grad_at_ms', 'mint'] as const

export const graduationPartition = { column: 'grad_at_ms', everyMs: dayMs } as const

export const withdrawnGraduation = ({ atMs }: RowKey, mint: string) => ({ mint, grad_at_ms: atMs })
