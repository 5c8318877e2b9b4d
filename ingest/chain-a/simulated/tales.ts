/** The promoted launches of the simulated market, as its chats know them. */
import { priceFromSqrt } from '../../../schemas/chain-a/pool-price.ts'
import type { Tale, TalePrice, TalesOfHour } from '../../simulated/tale.ts'
import { createWallets, type World } from './identities.ts'
import { lifeOf } from './life.ts'
import { type LaunchPlan, launchesPerDayDefault, plansOf } from './plan.ts'

const hourSec = 3600

export function createTales({
  seed,
  launchesPerDay = launchesPerDayDefault,
}: Readonly<{ seed: number; launchesPerDay?: number | undefined }>): TalesOfHour {
  const market = { seed, launchesPerDay }
  const world = { seed, walletAt: createWallets(seed) }
  // A launch's main burst lies in the hour after its cohort's own.
  return (hour) =>
    [hour - 1, hour]
      .flatMap((cohort) => plansOf(market, cohort))
      .filter(({ kind, bursts }) => kind === 'promoted' && bursts.some(({ startSec }) => isIn(startSec, hour)))
      .map((plan) => taleOf(plan, world))
}

const isIn = (second: number, hour: number): boolean => Math.floor(second / hourSec) === hour

const taleOf = (plan: LaunchPlan, world: World): Tale => ({
  token: plan.token,
  fromSec: plan.createdAtSec,
  untilSec: plan.endsAtSec,
  bursts: plan.bursts.map(({ startSec, endSec, style }) => ({ startSec, endSec, isPrepared: style === 'scripted' })),
  prices: () => pricesOf(plan, world),
})

function pricesOf(plan: LaunchPlan, world: World): readonly TalePrice[] {
  const prices: TalePrice[] = []
  for (const { second, drafts } of lifeOf(plan, world))
    for (const { type, data } of drafts)
      if (type === 'Swap') prices.push({ second, px: priceFromSqrt(data.sqrtPriceX96, plan.ethIsCurrency0) })
  return prices
}
