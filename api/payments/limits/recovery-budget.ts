/** How many signers are recovered within a second: some 2.4 ms of the processor each. */
import { createRecentCounts } from '../../recent-counts.ts'

export type RecoveryBudget = Readonly<{
  /** Whether one more may be recovered for this key; if so it counts. */
  take: (key: string) => boolean
  /** It did not cost us: it is not to count. */
  giveBack: (key: string) => void
}>

const all = ''

export function createRecoveryBudget(
  nowMs: () => number,
  { ofOneMax, ofAllMax }: Readonly<{ ofOneMax: number; ofAllMax: number }>,
): RecoveryBudget {
  const recovered = createRecentCounts({ generationMs: 500, nowMs })
  return {
    take: (key) => {
      if (recovered.count(key) >= ofOneMax || recovered.count(all) >= ofAllMax) return false
      recovered.add(key)
      recovered.add(all)
      return true
    },
    giveBack: (key) => {
      recovered.takeBack(key)
      recovered.takeBack(all)
    },
  }
}
