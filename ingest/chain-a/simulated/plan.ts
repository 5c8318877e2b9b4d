/**
 * The plan of each launch, as a pure function of the seed. A cohort is the launches of one hour.
 *
 * Promoted launches guarantee that a new burst fires in every 5 minutes: time is cut into slots of 2 minutes; even
 * slots hold one lite burst each, odd slots one main burst of a pool whose lite burst was in the hour before. The other
 * launches (dead, pulled early, sleepers, organic) are random.
 */

import type { Hex } from '../../../schemas/units.ts'
import { createRandom, type Random, shuffled } from '../../simulated/random.ts'
import { type Custody, planCustody } from './custody.ts'
import { addressOf, nativeEth, v4PoolId, weth } from './identities.ts'

export type BurstTier = 'main' | 'lite' | 'refire' | 'old'
/** Buys of one size, of many similar sizes, or of a few whales and a crowd. */
type BurstStyle = 'scripted' | 'spread' | 'whales'

export type BurstPlan = Readonly<{
  tier: BurstTier
  style: BurstStyle
  /** First and last second of the buys. */
  startSec: number
  endSec: number
  buys: number
  eth: number
}>

type LaunchKind = 'promoted' | 'dead' | 'pulled' | 'sleeper' | 'organic' | 'graduated'

export type LaunchPlan = Readonly<{
  id: number
  kind: LaunchKind
  token: Hex
  pool: Hex
  dex: 'v4' | 'v3'
  eth: Hex
  ethIsCurrency0: boolean
  /** The fee in the pool's key. Swaps pay `feePips`. */
  fee: number
  feePips: number
  tickSpacing: number
  hooks: Hex | null
  createdAtSec: number
  /** The end of all activity in the pool, at most 24 h after its creation. */
  endsAtSec: number
  /** Mean seconds between quiet trades, in addition to the least gap of 9 s. */
  quietGapSec: number
  bursts: readonly BurstPlan[]
  /** The crowd's trades: their number, fading over `fadeSec`. */
  crowd: Readonly<{ fromSec: number; trades: number; fadeSec: number }> | null
  /** The creator removes this share of its liquidity. */
  pull: Readonly<{ atSec: number; share: number }> | null
  /** When early holders sell everything together. */
  dumpAtSec: number | null
  /** Who holds the liquidity, on v4. */
  custody: Custody
}>

const hourSec = 3600
const daySec = 24 * hourSec
/** From this age on a burst counts: five minutes, and half a minute more so that a whole window fits. */
const promotedAgeSecLeast = 330
const promotedAgeSecMost = 3300
/** The longest planned burst. */
const burstSecMost = 45
const promotedPerHourMost = 15

export const launchesPerDayDefault = 510

export const cohortOfId = (id: number): number => Math.floor(id / 4096)
export const cohortAt = (second: number): number => Math.floor(second / hourSec)
/** A promoted launch can be created up to an hour before its cohort's own. */
export const firstSecondOf = (cohort: number): number => (cohort - 1) * hourSec
/** All launches of the cohort have ended by then. */
export const lastSecondOf = (cohort: number): number => (cohort + 1) * hourSec + daySec

export type Market = Readonly<{ seed: number; launchesPerDay: number }>

/** The launches of one hour, by id. */
export function plansOf(market: Market, cohort: number): readonly LaunchPlan[] {
  const perHour = market.launchesPerDay / 24
  const promotedCount = Math.min(promotedPerHourMost, Math.floor(perHour * 0.72))
  const random = createRandom(market.seed, cohort, 1)
  const othersCount = Math.round((perHour - promotedCount) * (0.7 + 0.6 * random.unit()))
  const mainSlots = shuffled([...Array(promotedCount).keys()], random)
  const promoted = mainSlots.map((mainSlot, index) =>
    planPromoted(market, { id: idOf(cohort, index), cohort, liteSlot: index, mainSlot, slots: 2 * promotedCount }),
  )
  const others = Array.from({ length: othersCount }, (_, index) =>
    planOther(market, idOf(cohort, promotedCount + index), cohort),
  )
  return [...promoted, ...others]
}

/** Unique in the low 32 bits, the only ones that seed random numbers. */
export const idOf = (cohort: number, index: number): number => cohort * 4096 + index

type PromotedSeat = Readonly<{ id: number; cohort: number; liteSlot: number; mainSlot: number; slots: number }>

function planPromoted(market: Market, seat: PromotedSeat): LaunchPlan {
  const random = createRandom(market.seed, seat.id, 2)
  const slotSec = hourSec / seat.slots
  const startIn = (slot: number) => Math.ceil(slot * slotSec) + random.whole(0, Math.floor(slotSec) - burstSecMost - 2)
  const lite = planBurst('lite', seat.cohort * hourSec + startIn(2 * seat.liteSlot), random)
  const main = planBurst('main', (seat.cohort + 1) * hourSec + startIn(2 * seat.mainSlot + 1), random)
  const createdAtSec = lite.startSec - random.whole(promotedAgeSecLeast, promotedAgeSecMost)
  const pull = random.chance(0.28) ? { atSec: main.endSec + random.whole(15, 1500), share: pulledShare(random) } : null
  const dumpAtSec = pull === null && random.chance(0.3) ? main.endSec + random.whole(30, 1200) : null
  const refires = pull === null ? planRefires(main, createdAtSec, random) : []
  return {
    ...planPool(market, seat.id, random),
    id: seat.id,
    kind: 'promoted',
    createdAtSec,
    endsAtSec: createdAtSec + lifeSec(random, (refires.at(-1) ?? main).endSec + 1800 - createdAtSec),
    quietGapSec: random.logNormal(25, 0.8),
    bursts: [lite, main, ...refires],
    crowd: planCrowd(main.endSec + 1, 90, random),
    pull,
    dumpAtSec,
    custody: planCustody(market.seed, { id: seat.id, createdAtSec, isPulled: pull !== null }),
  }
}

function planRefires(main: BurstPlan, createdAtSec: number, random: Random): readonly BurstPlan[] {
  const refires: BurstPlan[] = []
  let last = main
  while (refires.length < 3 && random.chance(0.4)) {
    const startSec = last.endSec + 1860 + Math.floor(random.exponential(4000))
    if (startSec > createdAtSec + daySec - 600) break
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
  return {
    ...planPool(market, id, random),
    id,
    kind,
    createdAtSec,
    endsAtSec: createdAtSec + (kind === 'dead' ? random.whole(240, 5400) : daySec),
    quietGapSec: kind === 'sleeper' ? random.logNormal(90, 0.6) : random.logNormal(200, 0.8),
    bursts: kind === 'sleeper' ? [old] : [],
    crowd: otherCrowd(kind, kind === 'sleeper' ? old.endSec + 1 : createdAtSec + 10, random),
    pull: kind === 'pulled' ? { atSec: createdAtSec + random.whole(40, 1500), share: pulledShare(random) } : null,
    dumpAtSec: kind === 'organic' && random.chance(0.3) ? createdAtSec + random.whole(1200, 6 * hourSec) : null,
    custody: planCustody(market.seed, { id, createdAtSec, isPulled: kind === 'pulled' }),
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
  Math.min(daySec, Math.max(least, Math.floor(random.logNormal(6 * hourSec, 0.8))))

const pulledShare = (random: Random): number => (random.chance(0.75) ? 1 : 0.85 + 0.14 * random.unit())

/** Lite bursts stay below 12 buys and 1 ETH, so that they never count as main bursts. The others exceed both well. */
function planBurst(tier: BurstTier, startSec: number, random: Random): BurstPlan {
  const endSec = startSec + random.whole(14, burstSecMost)
  const style = random.pick(['scripted', 'spread', 'spread', 'whales'] as const)
  return tier === 'lite'
    ? { tier, style, startSec, endSec, buys: random.whole(8, 11), eth: 0.62 + 0.28 * random.unit() }
    : { tier, style, startSec, endSec, buys: random.whole(14, 40), eth: Math.min(9, 1.35 + random.logNormal(0.7, 0.9)) }
}

type PoolPlan = Pick<
  LaunchPlan,
  'token' | 'pool' | 'dex' | 'eth' | 'ethIsCurrency0' | 'fee' | 'feePips' | 'tickSpacing' | 'hooks'
>

type PoolKind = Readonly<{ fee: number; feePips: number; tickSpacing: number }>

const v3Kinds = [
  { fee: 10_000, feePips: 10_000, tickSpacing: 200 },
  { fee: 3000, feePips: 3000, tickSpacing: 60 },
] as const
const v4Kinds = [
  { fee: 10_000, feePips: 10_000, tickSpacing: 200 },
  { fee: 2500, feePips: 2500, tickSpacing: 25 },
  { fee: 3000, feePips: 3000, tickSpacing: 60 },
] as const
/** A dynamic fee: the key holds the marker, and the hook sets the fee. */
const hookedKind = { fee: 0x80_00_00, feePips: 12_000, tickSpacing: 200 } as const

function planPool(market: Market, id: number, random: Random): PoolPlan {
  const named = (text: string) => addressOf(market.seed, `${text}:${id}`)
  const dex = random.chance(0.12) ? 'v3' : 'v4'
  const eth = dex === 'v3' || random.chance(0.1) ? weth : nativeEth
  const raw = named('token')
  // Some deployers mine a low address, which makes WETH currency 1.
  const token: Hex = random.chance(0.5) ? `0x0${random.whole(1, 9)}${raw.slice(4)}` : raw
  const hooks = dex === 'v4' && random.chance(0.1) ? addressOf(market.seed, 'hook') : null
  const kind = hooks !== null ? hookedKind : random.pick<PoolKind>(dex === 'v3' ? v3Kinds : v4Kinds)
  const key = { token, eth, fee: kind.fee, tickSpacing: kind.tickSpacing, hooks: hooks ?? nativeEth }
  return {
    ...kind,
    token,
    dex,
    eth,
    ethIsCurrency0: eth < token,
    hooks,
    pool: dex === 'v4' ? v4PoolId(key) : named('pool'),
  }
}
