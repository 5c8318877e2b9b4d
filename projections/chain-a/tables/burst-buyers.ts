import type { BurstBuyers } from '../../../schemas/chain-a/derived.ts'
import { flag, int64, label, text, texts } from '../../columns.ts'
import { versionTable } from '../../table.ts'
import { burstKey, burstPartition, withdrawnBurst } from './burst-key.ts'

export const burstBuyers = versionTable<BurstBuyers>()({
  name: 'burst_buyers',
  naturalKey: burstKey,
  bySubject: { pool: 'pool', time: 'at_ms' },
  order: burstKey,
  partition: burstPartition,
  columns: {
    pool: text(({ pool }) => pool),
    tier: label(({ tier }) => tier),
    at_ms: int64(({ atMs }) => atMs),
    is_known: flag(({ wallets }) => wallets !== null),
    wallets: texts(({ wallets }) => wallets ?? []),
  },
  withdrawn: withdrawnBurst,
})
