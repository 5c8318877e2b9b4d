/**
 * Plans the special transactions of a launch. These are transactions that `schedule.ts` does not plan:
 * changes of liquidity, sales of all tokens, collected fees, and liquidity from other wallets.
 */

import type { LiquidityChange } from '../../simulated/market/liquidity-plan.ts'
import type { Launch } from './launch.ts'
import { addThirdParty, collectFees, executeChange, handOver } from './liquidity.ts'
import { creatorWallet } from './schedule.ts'
import { dump, type Trade } from './trades.ts'

export type Special = Readonly<{
  second: number
  /**
   * The kind of change, if this is a planned change of the creator's liquidity. Null for other special
   * transactions.
   */
  does: LiquidityChange['does'] | null
  carryOut(): Trade
}>

/**
 * Returns the special transactions of a launch in time order. The plan contains some of them. The others come
 * at random times: the creator collects fees, or another wallet adds liquidity.
 */
export function specialsOf(launch: Launch): readonly Special[] {
  const { plan, random } = launch
  const specials: Special[] = []
  const { liquidityPlan, dumpAtSec } = plan
  const within = () => random.whole(plan.createdAtSec + 60, plan.endsAtSec)
  for (const change of liquidityPlan.changes)
    specials.push({ second: change.atSec, does: change.does, carryOut: () => executeChange(launch, change) })
  if (dumpAtSec !== null) {
    for (let left = 12; left > 0; left--) {
      const second = dumpAtSec + random.whole(0, 25)
      specials.push({ second, does: null, carryOut: () => dump(launch) })
    }
  }
  if (random.chance(0.25)) {
    specials.push({ second: within(), does: null, carryOut: () => collectFees(launch) })
  }
  specials.push({ second: plan.custody.atSec, does: null, carryOut: () => handOver(launch) })
  if (plan.kind !== 'dead' && plan.kind !== 'graduated' && random.chance(0.2)) {
    const wallet = creatorWallet(random)
    specials.push({ second: within(), does: null, carryOut: () => addThirdParty(launch, wallet) })
  }
  return specials
    .map((special, index) => ({ special, index }))
    .sort((left, right) => left.special.second - right.special.second || left.index - right.index)
    .map(({ special }) => special)
}
