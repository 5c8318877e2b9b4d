/** The promoted mints of the simulated market, as its chats know them. */
import type { Tale, TalePrice, TalesOfHour } from '../../simulated/tale.ts'
import type { Draft } from './draft.ts'
import { createWallets, type World } from './identities.ts'
import { lifeOf } from './life.ts'
import { launchesPerDayDefault, type MintPlan, plansOf } from './plan.ts'
import { slotAtMs } from './slots.ts'

const hourSec = 3600

export function createTales({
  seed,
  launchesPerDay = launchesPerDayDefault,
}: Readonly<{ seed: number; launchesPerDay?: number | undefined }>): TalesOfHour {
  const market = { seed, launchesPerDay }
  const world = { seed, walletAt: createWallets(seed) }
  return (hour) =>
    plansOf(market, hour)
      .filter(({ kind, isMayhem, bursts }) => kind === 'promoted' && !isMayhem && bursts.some(isIn(hour)))
      .map((plan) => taleOf(plan, world))
}

const isIn =
  (hour: number) =>
  ({ startSec }: MintPlan['bursts'][number]): boolean =>
    Math.floor(startSec / hourSec) === hour

const taleOf = (plan: MintPlan, world: World): Tale => ({
  token: plan.key,
  fromSec: plan.launchedAtSec,
  untilSec: plan.endsAtSec,
  bursts: plan.bursts.map(({ startSec, endSec, style }) => ({ startSec, endSec, isPrepared: style === 'bundles' })),
  prices: () => pricesOf(plan, world),
})

function pricesOf(plan: MintPlan, world: World): readonly TalePrice[] {
  const prices: TalePrice[] = []
  for (const { slot, drafts } of lifeOf(plan, world))
    for (const draft of drafts) {
      const px = priceAfter(draft)
      if (px !== null) prices.push({ second: slotAtMs(slot) / 1000, px })
    }
  return prices
}

function priceAfter({ type, data }: Draft): number | null {
  if (type === 'CurveTraded') return Number(data.virtualQuoteRaw) / Number(data.virtualTokenRaw)
  return type === 'PoolTraded' ? Number(data.poolQuoteRaw) / Number(data.poolTokenRaw) : null
}
