import type { GraduationPost } from '../../../schemas/chain-b/derived.ts'
import { float64, int64, nullable, text } from '../../columns.ts'
import { versionTable } from '../../table.ts'
import { graduationKey, graduationPartition, withdrawnGraduation } from './graduation-key.ts'

export const chainBGraduationPosts = versionTable<GraduationPost>()({
  name: 'chain_b_graduation_posts',
  naturalKey: graduationKey,
  order: graduationKey,
  partition: graduationPartition,
  columns: {
    mint: text((_, { logKey }) => logKey),
    grad_at_ms: int64(({ gradAtMs }) => gradAtMs),
    anchor_at_ms: int64(({ anchorAtMs }) => anchorAtMs),
    ret_1: nullable(float64)(({ ret1 }) => ret1),
    ret_5: nullable(float64)(({ ret5 }) => ret5),
    ret_15: nullable(float64)(({ ret15 }) => ret15),
  },
  withdrawn: withdrawnGraduation,
})
