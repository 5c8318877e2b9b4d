/** What happens in a launch beside trading: pulls, dumps, collected fees, liquidity of other wallets. */
import type { Launch } from './launch.ts'
import { addThirdParty, collectFees, handOver, pullLiquidity } from './liquidity.ts'
import { creatorWallet } from './schedule.ts'
import { dump, type Trade } from './trades.ts'

export type Special = Readonly<{
  second: number
  isPull: boolean
  carryOut(): Trade
}>

/** The planned events beside trades, and random fee collections and additions of liquidity, in time order. */
export function specialsOf(launch: Launch): readonly Special[] {
  const { plan, random } = launch
  const specials: Special[] = []
  const { pull, dumpAtSec } = plan
  const within = () => random.whole(plan.createdAtSec + 60, plan.endsAtSec)
  if (pull !== null) {
    specials.push({ second: pull.atSec, isPull: true, carryOut: () => pullLiquidity(launch, pull.share) })
  }
  if (dumpAtSec !== null) {
    for (let left = 12; left > 0; left--) {
      const second = dumpAtSec + random.whole(0, 25)
      specials.push({ second, isPull: false, carryOut: () => dump(launch) })
    }
  }
  if (random.chance(0.25)) {
    specials.push({ second: within(), isPull: false, carryOut: () => collectFees(launch) })
  }
  specials.push({ second: plan.custody.atSec, isPull: false, carryOut: () => handOver(launch) })
  if (plan.kind !== 'dead' && plan.kind !== 'graduated' && random.chance(0.2)) {
    const wallet = creatorWallet(random)
    specials.push({ second: within(), isPull: false, carryOut: () => addThirdParty(launch, wallet) })
  }
  return specials
    .map((special, index) => ({ special, index }))
    .sort((left, right) => left.special.second - right.special.second || left.index - right.index)
    .map(({ special }) => special)
}
