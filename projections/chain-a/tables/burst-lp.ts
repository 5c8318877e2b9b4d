import type { BurstLp } from '../../../schemas/chain-a/derived.ts'
import { int64, label, text } from '../../columns.ts'
import { versionTable } from '../../table.ts'
import { burstKey, burstPartition, withdrawnBurst } from './burst-key.ts'
import { lpColumns } from './lp-columns.ts'

export const burstLp = versionTable<BurstLp>()({
  name: 'burst_lp',
  naturalKey: burstKey,
  bySubject: { pool: 'pool', time: 'at_ms' },
  order: burstKey,
  partition: burstPartition,
  columns: {
    pool: text(({ pool }) => pool),
    tier: label(({ tier }) => tier),
    at_ms: int64(({ atMs }) => atMs),
    ...lpColumns,
  },
  withdrawn: withdrawnBurst,
})
