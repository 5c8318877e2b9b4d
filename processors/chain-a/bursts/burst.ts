/** Decides whether the recent purchases in a pool are a burst, and which tier the burst has. */
import type { Tier } from '../../../schemas/chain-a/derived.ts'
import { type ChainANumbers, weiOf } from '../../../schemas/chain-a/numbers.ts'
import { tierTraits } from '../../../schemas/chain-a/tier-traits.ts'
import type { DurationMs, EpochMs, Wei } from '../../../schemas/units.ts'
import type { SwapWindow } from './window.ts'

type BurstRules = ChainANumbers['bursts']
type Threshold = Readonly<{ netWei: Wei; buys: number }>

/**
 * The rules of bursts with the thresholds of the tiers `main` and `lite` in wei. The age limits `youngMsMin`
 * and `youngMsMax` are inclusive. The tier `old` covers the ages from there to `oldMsMax`.
 */
export type BurstLimits = Readonly<{ main: Threshold; lite: Threshold }> &
  Pick<BurstRules, 'windowMs' | 'recentMs' | 'youngMsMin' | 'youngMsMax' | 'oldMsMax' | 'refireMs'>

const thresholdOf = ({ inflowEthMin, buysMin }: BurstRules['main']): Threshold => ({
  netWei: weiOf(inflowEthMin),
  buys: buysMin,
})

export const burstLimitsOf = (rules: BurstRules): BurstLimits => ({
  windowMs: rules.windowMs,
  recentMs: rules.recentMs,
  main: thresholdOf(rules.main),
  lite: thresholdOf(rules.lite),
  youngMsMin: rules.youngMsMin,
  youngMsMax: rules.youngMsMax,
  oldMsMax: rules.oldMsMax,
  refireMs: rules.refireMs,
})

type Traits = typeof tierTraits
type TierBeforeRefire = { [Name in Tier]: Traits[Name]['delaysRefire'] extends true ? Name : never }[Tier]
type OncePerPool = Exclude<Tier, TierBeforeRefire>

/**
 * The bursts that a pool has had. The field of each tier in `OncePerPool` tells whether the pool has had a
 * burst of this tier. All other tiers share `lastAtMs`.
 */
export type Fired = Record<OncePerPool, boolean> & {
  /**
   * The time of the last burst of the other tiers. Null if there was none. All such bursts after the first
   * have the tier `refire`, so the tier is not stored.
   */
  lastAtMs: EpochMs | null
}

export const nothingFired = (): Fired => ({ lite: false, lastAtMs: null })

const delaysRefire = (tier: Tier): tier is TierBeforeRefire => tierTraits[tier].delaysRefire

export function recordFired(fired: Fired, tier: Tier, atMs: EpochMs): void {
  if (delaysRefire(tier)) fired.lastAtMs = atMs
  else fired[tier] = true
}

type Judged = Readonly<{ window: SwapWindow; fired: Fired }>
type Time = Readonly<{ atMs: EpochMs; ageMs: DurationMs }>
type Rule = (judged: Judged, time: Time, limits: BurstLimits) => boolean

/**
 * The rule of each tier. It decides whether the pool has a burst of this tier. Bursts of the same time are
 * published in the order of this record. At most one of `main`, `refire` and `old` applies.
 */
const rules: Readonly<Record<Tier, Rule>> = {
  main: (judged, { ageMs }, limits) => isFull(judged, limits) && isFirst(judged) && isYoung(ageMs, limits),
  refire: (judged, { atMs }, limits) => {
    const { lastAtMs } = judged.fired
    return lastAtMs !== null && atMs - lastAtMs >= limits.refireMs && isFull(judged, limits)
  },
  old: (judged, { ageMs }, limits) => isFull(judged, limits) && isFirst(judged) && ageMs > limits.youngMsMax,
  lite: ({ window, fired }, { ageMs }, limits) => meets(window, limits.lite) && !fired.lite && isYoung(ageMs, limits),
}
const tiersInOrder = Object.keys(rules) as readonly Tier[]

/** Returns the tiers of which the pool has a burst at `atMs`. Usually there is none. */
export function tiersAt(judged: Judged, time: Time, limits: BurstLimits): readonly Tier[] {
  // Every tier needs this number of buys. Nearly all pools have fewer.
  if (judged.window.buys < Math.min(limits.main.buys, limits.lite.buys)) return noTiers
  return tiersInOrder.filter((tier) => rules[tier](judged, time, limits))
}

const noTiers: readonly Tier[] = []

const isYoung = (ageMs: DurationMs, { youngMsMin, youngMsMax }: BurstLimits): boolean =>
  ageMs >= youngMsMin && ageMs <= youngMsMax

/**
 * Returns whether the trades in the window reach the thresholds of `main` and buying continues. `refire` and
 * `old` use the same thresholds.
 */
const isFull = ({ window }: Judged, { main }: BurstLimits): boolean => meets(window, main) && isStillBuying(window)

const isFirst = ({ fired }: Judged): boolean => fired.lastAtMs === null

function meets({ buys, netWei }: SwapWindow, least: Threshold): boolean {
  return buys >= least.buys && netWei >= least.netWei
}

/**
 * Returns whether buying continues in the last part of the window. This is not required for the tier `lite`.
 */
const isStillBuying = ({ recentBuys, recentNetWei }: SwapWindow): boolean => recentBuys > 0 && recentNetWei > 0n
