import type { PoolProfile, RowKey } from '../../../schemas/chain-a/derived.ts'
import { dayMs } from '../../../schemas/units.ts'
import { int64, nullable, text } from '../../columns.ts'
import { versionTable } from '../../table.ts'
import { lpColumns } from './lp-columns.ts'

export const poolProfiles = versionTable<PoolProfile>()({
  name: 'pool_profiles',
  // The token of a pool never changes. It is part of the key so that queries can select by token.
  naturalKey: ['token', 'created_at_ms', 'pool'],
  bySubject: { token: 'token', time: 'created_at_ms' },
  order: ['token', 'created_at_ms', 'pool'],
  partition: { column: 'created_at_ms', everyMs: dayMs },
  columns: {
    token: text((_, { logKey }) => logKey),
    pool: text(({ pool }) => pool),
    created_at_ms: int64(({ createdAtMs }) => createdAtMs),
    checked_at_ms: int64(({ checkedAtMs }) => checkedAtMs),
    block_number: int64(({ blockNumber }) => blockNumber),
    creator: nullable(text)(({ creator }) => creator),
    ...lpColumns,
  },
  withdrawn: ({ pool, atMs }: RowKey, token) => ({ token, pool, created_at_ms: atMs }),
})
