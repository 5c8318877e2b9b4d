import type { BurstOutcome } from '../../../schemas/chain-a/derived.ts'
import { float64, int32, int64, label, nullable, plain, text } from '../../columns.ts'
import { versionTable } from '../../table.ts'
import { burstKey, burstPartition, withdrawnBurst } from './burst-key.ts'

const ruleExits = plain<BurstOutcome['exits']>(
  'Array(Tuple(rule String, ret Float64, why String, sec Nullable(Int32)))',
)

export const burstOutcomes = versionTable<BurstOutcome>()({
  name: 'burst_outcomes',
  naturalKey: burstKey,
  bySubject: { pool: 'pool', time: 'at_ms' },
  order: burstKey,
  partition: burstPartition,
  columns: {
    pool: text(({ pool }) => pool),
    tier: label(({ tier }) => tier),
    at_ms: int64(({ atMs }) => atMs),
    ret_30m: float64(({ ret30m }) => ret30m),
    peak_ret: float64(({ peakRet }) => peakRet),
    rule_ret: float64(({ ruleRet }) => ruleRet),
    exits: ruleExits(({ exits }) => exits.map(({ rule, ret, why, sec }) => ({ rule, ret, why, sec }))),
    rug_at_sec: nullable(int32)(({ rug }) => rug?.atSec ?? null),
    rug_lp_removed: nullable(float64)(({ rug }) => rug?.lpRemoved ?? null),
  },
  withdrawn: withdrawnBurst,
})
