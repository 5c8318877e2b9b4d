import type { Graduation } from '../../../schemas/chain-b/derived.ts'
import { bigInteger, float64, int64, nullable, plain, text } from '../../columns.ts'
import { versionTable } from '../../table.ts'
import { graduationKey, graduationPartition, withdrawnGraduation } from './graduation-key.ts'

const pathPoints = plain<Graduation['path']>('Array(Tuple(beforeSec Int32, fill Float64))')

export const chainBGraduations = versionTable<Graduation>()({
  name: 'chain_b_graduations',
  naturalKey: graduationKey,
  bySubject: { token: 'mint', time: 'grad_at_ms' },
  order: graduationKey,
  partition: graduationPartition,
  columns: {
    mint: text((_, { logKey }) => logKey),
    grad_at_ms: int64(({ gradAtMs }) => gradAtMs),
    slot: int64(({ slot }) => slot),
    launch_at_ms: nullable(int64)(({ launchAtMs }) => launchAtMs),
    path: pathPoints(({ path }) => path.map(({ beforeSec, fill }) => ({ beforeSec, fill }))),
    burst_at_ms: nullable(int64)(({ burst }) => burst?.atMs ?? null),
    burst_inflow_lamports: nullable(bigInteger)(({ burst }) => burst?.inflowLamports ?? null),
    burst_fill_at: nullable(float64)(({ burst }) => burst?.fillAt ?? null),
    supersedes_at_ms: nullable(int64)((_, { supersedesAtMs }) => supersedesAtMs),
  },
  withdrawn: withdrawnGraduation,
})
