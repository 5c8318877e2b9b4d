/** How many signers are recovered within a second: some 2.4 ms of the processor each. */
import { createRecentCounts } from '../recent-counts.ts'

/** Whether one more may be recovered for this key; if so it counts. */
export type RecoveryBudget = (key: string) => boolean

const all = ''

export function createRecoveryBudget(
  nowMs: () => number,
  { ofOneMax, ofAllMax }: Readonly<{ ofOneMax: number; ofAllMax: number }>,
): RecoveryBudget {
  const recovered = createRecentCounts({ generationMs: 500, nowMs })
  return (key) => {
    if (recovered.count(key) >= ofOneMax || recovered.count(all) >= ofAllMax) return false
    recovered.add(key)
    recovered.add(all)
    return true
  }
}
