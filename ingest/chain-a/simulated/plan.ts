/**
 * Plans each launch from the seed alone. A cohort is the launches of one hour. Promoted launches have bursts
 * (groups of buys within seconds) at planned times, so that a new burst comes in every 5 minutes. For this,
 * each hour is divided into intervals of 2 minutes, numbered from 0. An even interval contains the small
 * `lite` burst of a new pool. An odd interval contains the `main` burst of a pool that had its `lite` burst
 * one hour earlier. All other launches are random.
 */

import {
  drawLiquidityPlan,
  type LiquidityPlan,
  pulledLiquidity,
  unchangedLiquidity,
} from '../../simulated/market/liquidity-plan.ts'
import { lifeSecMost, type MarketRates, marketRates } from '../../simulated/market/rates.ts'
import { createRandom, type Random, shuffled } from '../../simulated/random.ts'
import { type Custody, planCustody } from './custody.ts'
import { type PoolPlan, planPool, secondPoolOf } from './pool-plan.ts'

export type BurstTier = 'main' | 'lite' | 'refire' | 'old'
/**
 * How the sizes of a burst's buys differ. `scripted`: all equal. `spread`: all similar. `whales`: three large
 * buys among many small ones.
 */
type BurstStyle = 'scripted' | 'spread' | 'whales'

export type BurstPlan = Readonly<{
  tier: BurstTier
  style: BurstStyle
  /** The times of the first and the last buy, in seconds. */
  startSec: number
  endSec: number
  buys: number
  eth: number
}>

type LaunchKind = 'promoted' | 'dead' | 'pulled' | 'sleeper' | 'organic' | 'graduated' | 'second'

export type LaunchPlan = PoolPlan &
  Readonly<{
    id: number
    kind: LaunchKind
    createdAtSec: number
    /** The time at which all activity in the pool ends, in seconds. */
    endsAtSec: number
    /**
     * The mean time between trades outside bursts, in seconds. The simulator adds a minimum of 9 s to each
     * drawn time.
     */
    quietGapSec: number
    bursts: readonly BurstPlan[]
    /**
     * Additional trades that begin at `fromSec`. Their rate falls exponentially with the time constant
     * `fadeSec`, in seconds. Null if there are none.
     */
    crowd: Readonly<{ fromSec: number; trades: number; fadeSec: number }> | null
    /** What the creator does with its liquidity. */
    liquidityPlan: LiquidityPlan
    /**
     * The time at which early holders begin to sell all their tokens, in seconds. Null if there is no such
     * sale.
     */
    dumpAtSec: number | null
    /** Who owns the liquidity position. Only used for v4 pools. */
    custody: Custody
  }>

const hourSec = 3600
const daySec = 24 * hourSec
/**
 * The minimum age of a promoted pool at its lite burst, in seconds. The rule that detects bursts ignores
 * pools younger than 300 s. The other 30 s make room for the time window in which the rule counts buys.
 */
const promotedAgeSecLeast = 330
const promotedAgeSecMost = 3300
/** The maximum duration of a planned burst, in seconds. */
const burstSecMost = 45
const promotedPerHourMost = 15

const launchesPerDayDefault = 510

export const cohortOfId = (id: number): number => Math.floor(id / 4096)
export const cohortAt = (second: number): number => Math.floor(second / hourSec)
/**
 * Returns the first second in which a launch of the cohort can be created. A promoted launch can be created
 * up to an hour before the cohort's own hour.
 */
export const firstSecondOf = (cohort: number): number => (cohort - 1) * hourSec
/** Returns a time by which all launches of the cohort have ended, in seconds. */
export const lastSecondOf = (cohort: number): number => (cohort + 1) * hourSec + lifeSecMost

export type Market = Readonly<{ seed: number; launchesPerDay: number; rates: MarketRates }>

type MarketOptions = Readonly<{ seed: number; launchesPerDay?: number | undefined; rates?: Partial<MarketRates> }>

export const marketOf = ({ seed, launchesPerDay = launchesPerDayDefault, rates }: MarketOptions): Market => ({
  ...{ seed, launchesPerDay, rates: { ...marketRates, ...rates } },
})

/** Returns the launches of one hour, in the order of their ids. */
export function plansOf(market: Market, cohort: number): readonly LaunchPlan[] {
  const seats = seatsOf(market, cohort)
  return Array.from({ length: seats.mainSlots.length + seats.others }, (_, index) => planAt(market, seats, index))
}

/** Returns the plan of a launch. Returns null if no launch has this id. */
export function planOf(market: Market, id: number): LaunchPlan | null {
  const seats = seatsOf(market, cohortOfId(id))
  const index = id - idOf(seats.cohort, 0)
  return index < seats.mainSlots.length + seats.others ? planAt(market, seats, index) : null
}

/**
 * The launches of one cohort. `mainSlots` has one number per promoted launch: the position of its main burst
 * within the hour. `others` is the number of other launches.
 */
type Seats = Readonly<{ cohort: number; mainSlots: readonly number[]; others: number }>

function seatsOf(market: Market, cohort: number): Seats {
  const perHour = market.launchesPerDay / 24
  const promotedCount = Math.min(promotedPerHourMost, Math.floor(perHour * 0.72))
  const random = createRandom(market.seed, cohort, 1)
  const others = Math.round((perHour - promotedCount) * (0.7 + 0.6 * random.unit()))
  return { cohort, mainSlots: shuffled([...Array(promotedCount).keys()], random), others }
}

function planAt(market: Market, { cohort, mainSlots }: Seats, index: number): LaunchPlan {
  const id = idOf(cohort, index)
  const mainSlot = mainSlots[index]
  return mainSlot === undefined
    ? planOther(market, id, cohort)
    : planPromoted(market, { id, cohort, liteSlot: index, mainSlot, slots: 2 * mainSlots.length })
}

/**
 * Returns the id of a launch. The low 32 bits must differ between launches, because only these bits seed the
 * random numbers.
 */
export const idOf = (cohort: number, index: number): number => cohort * 4096 + index

type PromotedSeat = Readonly<{
  id: number
  cohort: number
  liteSlot: number
  mainSlot: number
  slots: number
}>

function planPromoted(market: Market, seat: PromotedSeat): LaunchPlan {
  const random = createRandom(market.seed, seat.id, 2)
  const slotSec = hourSec / seat.slots
  const startIn = (slot: number) => Math.ceil(slot * slotSec) + random.whole(0, Math.floor(slotSec) - burstSecMost - 2)
  const lite = planBurst('lite', seat.cohort * hourSec + startIn(2 * seat.liteSlot), random)
  const main = planBurst('main', (seat.cohort + 1) * hourSec + startIn(2 * seat.mainSlot + 1), random)
  const createdAtSec = lite.startSec - random.whole(promotedAgeSecLeast, promotedAgeSecMost)
  const liquidityPlan = drawLiquidityPlan(main.endSec + 15, market.rates, createRandom(market.seed, seat.id, 7))
  const doneAtSec = Math.max(liquidityPlan.changes.at(-1)?.atSec ?? 0, liquidityPlan.secondAtSec ?? 0)
  const dumpAtSec =
    liquidityPlan.pulledAtSec === null && random.chance(0.3) ? main.endSec + random.whole(30, 1200) : null
  const refires = planRefires(main, liquidityPlan.changes[0]?.atSec ?? createdAtSec + daySec, random)
  const leastSec = Math.max((refires.at(-1) ?? main).endSec, doneAtSec) + 1800 - createdAtSec
  const isLongLived = liquidityPlan.pulledAtSec === null && random.chance(market.rates.longLived)
  return {
    ...planPool(market.seed, seat.id, random),
    id: seat.id,
    kind: 'promoted',
    createdAtSec,
    endsAtSec: createdAtSec + (isLongLived ? random.whole(26 * hourSec, 60 * hourSec) : lifeSec(random, leastSec)),
    quietGapSec: random.logNormal(25, 0.8),
    bursts: [lite, main, ...refires],
    crowd: planCrowd(main.endSec + 1, 90, random),
    liquidityPlan,
    dumpAtSec,
    custody: planCustody(market.seed, { id: seat.id, createdAtSec, liquidityPlan }),
  }
}

/**
 * Plans the second pool of a token. Some creators open a second pool after they have pulled the liquidity of
 * the first. The second pool gets a main burst and additional trades after it. Returns null if the creator
 * opens no second pool.
 */
export function secondPlanOf(market: Market, plan: LaunchPlan): LaunchPlan | null {
  const { secondAtSec } = plan.liquidityPlan
  if (secondAtSec === null) return null
  const random = createRandom(market.seed, plan.id, 8)
  const burst = planBurst('main', secondAtSec + random.whole(promotedAgeSecLeast, promotedAgeSecMost), random)
  const endsAtSec = secondAtSec + random.whole(2 * hourSec, 30 * hourSec)
  return {
    ...plan,
    ...secondPoolOf(plan),
    kind: 'second',
    createdAtSec: secondAtSec,
    endsAtSec: Math.min(endsAtSec, plan.createdAtSec + lifeSecMost),
    bursts: [burst],
    crowd: planCrowd(burst.endSec + 1, 90, random),
    liquidityPlan: unchangedLiquidity,
    dumpAtSec: null,
    custody: { ...plan.custody, atSec: secondAtSec + random.whole(15, 200) },
  }
}

/** Returns the time at which activity ends in all pools of a token, in seconds. */
export const lastSecondOfToken = (market: Market, plan: LaunchPlan): number =>
  Math.max(plan.endsAtSec, secondPlanOf(market, plan)?.endsAtSec ?? 0)

/**
 * Plans the refires (further bursts after the main burst). All refires end before `untilSec`, the time at
 * which the creator removes its liquidity.
 */
function planRefires(main: BurstPlan, untilSec: number, random: Random): readonly BurstPlan[] {
  const refires: BurstPlan[] = []
  let last = main
  while (refires.length < 3 && random.chance(0.4)) {
    const startSec = last.endSec + 1860 + Math.floor(random.exponential(4000))
    if (startSec > untilSec - 600) break
    last = planBurst('refire', startSec, random)
    refires.push(last)
  }
  return refires
}

function planOther(market: Market, id: number, cohort: number): LaunchPlan {
  const random = createRandom(market.seed, id, 3)
  const createdAtSec = cohort * hourSec + random.whole(0, hourSec - 1)
  const kind = otherKind(random.unit())
  const old = planBurst('old', createdAtSec + random.whole(Math.floor(6.1 * hourSec), 18 * hourSec), random)
  const liquidityPlan =
    kind === 'pulled' ? pulledLiquidity(createdAtSec + random.whole(40, 1500), random) : unchangedLiquidity
  return {
    ...planPool(market.seed, id, random),
    id,
    kind,
    createdAtSec,
    endsAtSec: createdAtSec + (kind === 'dead' ? random.whole(240, 5400) : daySec),
    quietGapSec: kind === 'sleeper' ? random.logNormal(90, 0.6) : random.logNormal(200, 0.8),
    bursts: kind === 'sleeper' ? [old] : [],
    crowd: otherCrowd(kind, kind === 'sleeper' ? old.endSec + 1 : createdAtSec + 10, random),
    liquidityPlan,
    dumpAtSec: kind === 'organic' && random.chance(0.3) ? createdAtSec + random.whole(1200, 6 * hourSec) : null,
    custody: planCustody(market.seed, { id, createdAtSec, liquidityPlan }),
  }
}

const otherKind = (chance: number): LaunchKind => {
  if (chance < 0.5) return 'dead'
  if (chance < 0.68) return 'pulled'
  return chance < 0.88 ? 'sleeper' : 'organic'
}

function otherCrowd(kind: LaunchKind, fromSec: number, random: Random): LaunchPlan['crowd'] {
  if (kind === 'dead') return null
  if (kind === 'organic') return planCrowd(fromSec, 600, random)
  return planCrowd(fromSec, 80, random)
}

const planCrowd = (fromSec: number, tradesLeast: number, random: Random) => ({
  fromSec,
  trades: Math.min(15_000, Math.round(random.pareto(tradesLeast, 1.15))),
  fadeSec: Math.min(4 * hourSec, random.logNormal(2400, 0.9)),
})

const lifeSec = (random: Random, least: number): number =>
  Math.max(least, Math.min(daySec, Math.floor(random.logNormal(6 * hourSec, 0.8))))

/**
 * Plans a burst. Lite bursts have fewer than 12 buys and less than 1 ETH, so they never count as main bursts. The other
 * tiers are well above both limits.
 */
function planBurst(tier: BurstTier, startSec: number, random: Random): BurstPlan {
  const endSec = startSec + random.whole(14, burstSecMost)
  const style = random.pick(['scripted', 'spread', 'spread', 'whales'] as const)
  return tier === 'lite'
    ? { tier, style, startSec, endSec, buys: random.whole(8, 11), eth: 0.62 + 0.28 * random.unit() }
    : { tier, style, startSec, endSec, buys: random.whole(14, 40), eth: Math.min(9, 1.35 + random.logNormal(0.7, 0.9)) }
}
