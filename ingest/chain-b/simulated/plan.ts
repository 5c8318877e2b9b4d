/**
 * Plans each mint, as a pure function of the seed. A cohort is the mints of one hour.
 *
 * By default, each hour has 20 promoted mints, one in every 3 minutes. A promoted mint gets a burst (a group
 * of buys within seconds) in the first 40 seconds of its 3 minutes. So a new burst comes in every 5 minutes.
 * A promoted mint was launched up to 3.5 hours before its burst. All other mints are random.
 */
import { base58OfHex } from '../../../infra/base58.ts'
import type { Address } from '../../../schemas/units.ts'
import { type MarketRates, marketRates } from '../../simulated/market/rates.ts'
import { drawSymbol } from '../../simulated/market/trading.ts'
import { createRandom, type Random } from '../../simulated/random.ts'
import { accountOf, mintOf } from './identities.ts'
import { launcherWallet } from './wallets.ts'

/**
 * The style of a burst. `same-size`: all buys have one size. `spread`: the buys have many sizes. `whales`: a few buys are large. `bundles`:
 * a slot has several buys.
 */
type BurstStyle = 'same-size' | 'spread' | 'whales' | 'bundles'

/** `sol`: the sum of the buys. */
export type BurstPlan = Readonly<{ style: BurstStyle; startSec: number; endSec: number; buys: number; sol: number }>

/** What happens to the mint after its last burst, and how long it takes, in seconds. */
type CurveEnd = Readonly<{ kind: 'graduates' | 'fades' | 'dumped' | 'holds'; sec: number }>

/**
 * The kind of a mint. Almost all mints are `dead`: few wallets trade them, for some minutes only. `rushed`
 * mints graduate before they are old enough for a burst to count. `late` mints have their burst when they are
 * too old for it to count. `calm` mints have no burst.
 */
type MintKind = 'promoted' | 'dead' | 'rushed' | 'late' | 'calm'

export type MintPlan = Readonly<{
  id: number
  kind: MintKind
  mint: Address
  /** The mint in base58. */
  key: string
  curve: Address
  pool: Address
  name: string
  symbol: string
  launcher: number
  launchedAtSec: number
  /** The time at which trading on the curve ends, in seconds. */
  quietFromSec: number
  /** The time for which the pool is traded after it opens, in seconds. Only used if the curve is completed. */
  poolSec: number
  /** The time at which all trading ends, in the curve and in the pool, in seconds. */
  endsAtSec: number
  /** Whether the curve trades against USDC instead of SOL. */
  isUsdc: boolean
  isMayhem: boolean
  /** Whether the launcher burns the tokens that it bought at the launch. */
  isBurned: boolean
  /** Whether the simulated node never returns the holders of this mint. */
  isUnreadable: boolean
  /** The reward that traders get for each trade, in basis points. */
  rewardsBps: bigint
  /** The net SOL that traders have paid into the curve at times without a burst. */
  calmSol: number
  /** The mean time between trades outside of bursts, in seconds. */
  gapSec: number
  bursts: readonly BurstPlan[]
  end: CurveEnd
}>

export type Market = Readonly<{ seed: number; launchesPerDay: number; rates: MarketRates }>

type MarketOptions = Readonly<{ seed: number; launchesPerDay?: number | undefined; rates?: Partial<MarketRates> }>

export const marketOf = ({ seed, launchesPerDay = launchesPerDayDefault, rates }: MarketOptions): Market => ({
  ...{ seed, launchesPerDay, rates: { ...marketRates, ...rates } },
})

const hourSec = 3600
const launchesPerDayDefault = 3000
const promotedPerHourMost = 20
/**
 * The maximum duration of a burst, and the maximum time from the start of its 3 minutes to the start of the
 * burst. Both are in seconds.
 */
const burstSecMost = 42
const startSecMost = 40
const promotedAgeSecMost = 3.5 * hourSec
/**
 * The time for which a cohort's mints are traded after the cohort's hour, in seconds. Some pools are traded
 * for longer.
 */
const aftermathSec = 10 * hourSec
/**
 * The time for which a pool is traded, in seconds. Most pools are traded for an hour. The pools of long-lived
 * mints are traded for 3 to 56 hours.
 */
const poolSecUsual = hourSec
const poolSecMost = 56 * hourSec

const mintsPerCohort = 4096
export const cohortAt = (second: number): number => Math.floor(second / hourSec)
const cohortOfId = (id: number): number => Math.floor(id / mintsPerCohort)
/**
 * Returns the first second in which a mint of the cohort may be launched. Promoted mints may be launched some
 * hours before the cohort's hour.
 */
export const firstSecondOf = (cohort: number): number => cohort * hourSec - promotedAgeSecMost
/** Returns a time by which all trading of the cohort's mints has ended, in seconds. */
export const lastSecondOf = (cohort: number): number => lastUsualSecondOf(cohort) + poolSecMost
/**
 * Returns a time by which all trading of the cohort's mints has ended, in seconds. Long-lived pools, which
 * only promoted mints have, are not included.
 */
export const lastUsualSecondOf = (cohort: number): number => (cohort + 1) * hourSec + aftermathSec

/** Returns the plans of a cohort's mints, in the order of their ids. */
export function plansOf(market: Market, cohort: number): readonly MintPlan[] {
  const count = countOf(market, cohort)
  return Array.from({ length: count }, (_, index) => planAt(market, cohort, index))
}

/** Returns the ids of a cohort's mints that are not promoted. */
export const otherIdsOf = (market: Market, cohort: number): readonly number[] => {
  const promotedCount = promotedCountOf(market)
  const first = cohort * mintsPerCohort + promotedCount
  return Array.from({ length: countOf(market, cohort) - promotedCount }, (_, index) => first + index)
}

export const promotedPlansOf = (market: Market, cohort: number): readonly MintPlan[] =>
  Array.from({ length: promotedCountOf(market) }, (_, index) => planAt(market, cohort, index))

/** Returns the plan of a mint. Returns null if no mint has this id. */
export function planOf(market: Market, id: number): MintPlan | null {
  const cohort = cohortOfId(id)
  const index = id % mintsPerCohort
  return index < countOf(market, cohort) ? planAt(market, cohort, index) : null
}

const promotedCountOf = ({ launchesPerDay }: Market): number =>
  Math.min(promotedPerHourMost, Math.floor((launchesPerDay / 24) * 0.16))

function countOf(market: Market, cohort: number): number {
  const random = createRandom(market.seed, cohort, 21)
  const promotedCount = promotedCountOf(market)
  return promotedCount + Math.round((market.launchesPerDay / 24 - promotedCount) * (0.7 + 0.6 * random.unit()))
}

function planAt(market: Market, cohort: number, index: number): MintPlan {
  const id = cohort * mintsPerCohort + index
  const promotedCount = promotedCountOf(market)
  if (index >= promotedCount) return planOther(market.seed, id)
  return planPromoted(market, id, cohort * hourSec + (index * hourSec) / promotedCount)
}

function planPromoted({ seed, rates }: Market, id: number, seatSec: number): MintPlan {
  const random = createRandom(seed, id, 22)
  const first = planBurst(seatSec + random.whole(0, startSecMost), random)
  const ageSec = Math.max(330, Math.min(promotedAgeSecMost, Math.floor(random.logNormal(1800, 0.9))))
  const launchedAtSec = first.startSec - ageSec
  const end = drawCurveEnd(random)
  // A mint that fades after its first burst may have another burst later.
  const again =
    end.kind === 'fades' && random.chance(0.2) ? [planBurst(first.endSec + random.whole(1500, 3600), random)] : []
  const bursts = [first, ...again]
  return {
    ...planMint({ seed, id, kind: 'promoted', launchedAtSec }, random),
    ...{ calmSol: 1.5 + 5.5 * random.unit(), gapSec: Math.max(20, ageSec / 25), bursts, end },
    ...endsOf(
      (again[0] ?? first).endSec + end.sec + random.whole(300, 2400),
      random.chance(2 * rates.longLived) ? random.whole(3 * hourSec, poolSecMost) : poolSecUsual,
    ),
  }
}

function planOther(seed: number, id: number): MintPlan {
  const random = createRandom(seed, id, 23)
  const kind = otherKind(random.unit())
  const launchedAtSec = cohortOfId(id) * hourSec + random.whole(0, hourSec - 1)
  const mint = planMint({ seed, id, kind, launchedAtSec }, random)
  const nothing = { calmSol: 0.2 + 2 * random.unit() ** 2, bursts: [], end: { kind: 'holds', sec: 0 } } as const
  if (kind === 'dead')
    return { ...mint, ...nothing, gapSec: random.logNormal(60, 0.9), ...endsOf(launchedAtSec + random.whole(30, 900)) }
  if (kind === 'calm')
    return { ...mint, ...nothing, gapSec: 100, ...endsOf(launchedAtSec + random.whole(1800, 3 * hourSec)) }
  if (kind === 'rushed') {
    const end = { kind: 'graduates', sec: random.whole(70, 280) } as const
    return { ...mint, ...nothing, gapSec: 60, end, ...endsOf(launchedAtSec + end.sec + 60) }
  }
  const burst = planBurst(launchedAtSec + random.whole(4.2 * hourSec, 5.5 * hourSec), random)
  const end = { kind: 'fades', sec: 600 } as const
  return { ...mint, ...nothing, calmSol: 4, gapSec: 300, bursts: [burst], end, ...endsOf(burst.endSec + 900) }
}

const endsOf = (quietFromSec: number, poolSec = poolSecUsual) => ({
  ...{ quietFromSec, poolSec, endsAtSec: quietFromSec + poolSec + 600 },
})

function otherKind(chance: number): MintKind {
  if (chance < 0.9) return 'dead'
  if (chance < 0.985) return 'calm'
  return chance < 0.993 ? 'late' : 'rushed'
}

function drawCurveEnd(random: Random): CurveEnd {
  const chance = random.unit()
  if (chance < 0.22) return { kind: 'graduates', sec: random.whole(90, chance < 0.17 ? 1000 : 3000) }
  if (chance < 0.65) return { kind: 'fades', sec: random.whole(180, 900) }
  return chance < 0.85 ? { kind: 'dumped', sec: random.whole(30, 500) } : { kind: 'holds', sec: 1200 }
}

/**
 * Plans a burst whose buys add up to clearly more than 10 SOL. Before the burst, the curve holds at most 7
 * SOL. After the burst, the curve is 25 % to 55 % full.
 */
function planBurst(startSec: number, random: Random): BurstPlan {
  const style = random.pick(['same-size', 'spread', 'spread', 'whales', 'bundles'] as const)
  const endSec = startSec + random.whole(18, burstSecMost)
  return { style, startSec, endSec, buys: random.whole(10, 26), sol: 12 + Math.min(10, random.logNormal(2, 0.8)) }
}

type MintSeat = Readonly<{ seed: number; id: number; kind: MintKind; launchedAtSec: number }>

function planMint({ seed, id, kind, launchedAtSec }: MintSeat, random: Random) {
  const mint = mintOf(seed, id)
  const symbol = drawSymbol(random)
  const special = random.unit()
  return {
    id,
    kind,
    mint,
    key: base58OfHex(mint),
    launchedAtSec,
    curve: accountOf(seed, `curve:${id}`),
    pool: accountOf(seed, `pool:${id}`),
    symbol,
    name: `${symbol} ${random.pick(['coin', 'inu', 'cat', 'protocol', 'ai'])}`,
    launcher: launcherWallet(random),
    // Promoted mints trade against SOL, because the service detects bursts only on curves against SOL.
    isUsdc: special < 0.02 && kind !== 'promoted',
    isMayhem: special >= 0.02 && special < 0.04,
    isBurned: random.chance(0.06),
    isUnreadable: random.chance(0.02),
    rewardsBps: random.chance(0.1) ? 20n : 0n,
  }
}
