import type { PoolOpened, RowKey } from '../../../schemas/chain-a/derived.ts'
import { dayMs } from '../../../schemas/units.ts'
import { float64, int64, label, nullable, text } from '../../columns.ts'
import { versionTable } from '../../table.ts'

export const pools = versionTable<PoolOpened>()({
  name: 'pools',
  naturalKey: ['created_at_ms', 'pool'],
  bySubject: { pool: 'pool', token: 'token', time: 'created_at_ms' },
  order: ['created_at_ms', 'pool'],
  partition: { column: 'created_at_ms', everyMs: dayMs },
  columns: {
    pool: text(({ pool }) => pool),
    token: text((_, { logKey }) => logKey),
    dex: label(({ dex }) => dex),
    created_block: int64(({ createdBlock }) => createdBlock),
    created_at_ms: int64(({ createdAtMs }) => createdAtMs),
    px: nullable(float64)(({ px }) => px),
  },
  withdrawn: ({ pool, atMs }: RowKey, token) => ({ pool, token, created_at_ms: atMs }),
})
