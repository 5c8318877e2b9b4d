import type { BurstOutcome } from '../../../schemas/chain-b/derived.ts'
import { flag, float64, int64, nullable, plain, text } from '../../columns.ts'
import { versionTable } from '../../table.ts'
import { burstKey, burstPartition, withdrawnBurst } from './burst-key.ts'

const ruleExits = plain<BurstOutcome['exits']>(
  'Array(Tuple(rule String, ret Float64, why String, sec Nullable(Int32)))',
)

export const chainBOutcomes = versionTable<BurstOutcome>()({
  name: 'chain_b_outcomes',
  naturalKey: burstKey,
  order: burstKey,
  partition: burstPartition,
  columns: {
    mint: text((_, { logKey }) => logKey),
    at_ms: int64(({ atMs }) => atMs),
    completed_at_ms: nullable(int64)(({ completedAtMs }) => completedAtMs),
    peak_ret: float64(({ peakRet }) => peakRet),
    grad_ret: nullable(float64)(({ gradRet }) => gradRet),
    ret_20m: nullable(float64)(({ ret20m }) => ret20m),
    rule_ret: float64(({ ruleRet }) => ruleRet),
    is_non_standard_curve: flag(({ isNonStandardCurve }) => isNonStandardCurve),
    exits: ruleExits(({ exits }) => exits.map(({ rule, ret, why, sec }) => ({ rule, ret, why, sec }))),
  },
  withdrawn: withdrawnBurst,
})
