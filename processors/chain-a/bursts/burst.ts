/** Decides whether a pool’s window is a burst, and which tier the burst has. */
import type { Tier } from '../../../schemas/chain-a/derived.ts'
import { type ChainANumbers, weiOf } from '../../../schemas/chain-a/numbers.ts'
import type { DurationMs, EpochMs, Wei } from '../../../schemas/units.ts'
import type { SwapWindow } from './window.ts'

type BurstRules = ChainANumbers['bursts']
type Threshold = Readonly<{ netWei: Wei; buys: number }>

/** The thresholds of each tier, in wei. Age limits are inclusive at both ends; `old` begins right after the end of `main`. */
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

/** The bursts that have fired on a pool. */
export type Fired = {
  lite: boolean
  /** The time of the last main, refire or old burst. Each such burst after the first is a refire, so the tier is not stored. */
  lastAtMs: EpochMs | null
}

export const nothingFired = (): Fired => ({ lite: false, lastAtMs: null })

/** Returns the tiers that fire at `atMs`: at most one of `main`, `refire` and `old`, and possibly `lite`. Usually no tier fires. */
export function tiersAt({ window, fired }: Judged, time: Time, limits: BurstLimits): readonly Tier[] {
  const tiers: Tier[] = []
  const full = meets(window, limits.main) && isStillBuying(window) ? fullTierAt(fired, time, limits) : null
  if (full) tiers.push(full)
  if (meets(window, limits.lite) && !fired.lite && isYoung(time.ageMs, limits)) tiers.push('lite')
  return tiers
}

type Judged = Readonly<{ window: SwapWindow; fired: Fired }>
type Time = Readonly<{ atMs: EpochMs; ageMs: DurationMs }>

export function recordFired(fired: Fired, tier: Tier, atMs: EpochMs): void {
  if (tier === 'lite') fired.lite = true
  else fired.lastAtMs = atMs
}

const isYoung = (ageMs: DurationMs, { youngMsMin, youngMsMax }: BurstLimits): boolean =>
  ageMs >= youngMsMin && ageMs <= youngMsMax

type FullTier = 'main' | 'refire' | 'old'

/**
 * Returns the tier of a window that meets the main thresholds. Bursts of tier `lite` do not count here. The first burst of a pool is
 * `main` or `old`, by the age of the pool. A later burst is `refire`, at least `refireMs` after the last burst. Null: no tier fires.
 */
function fullTierAt(fired: Fired, { atMs, ageMs }: Time, limits: BurstLimits): FullTier | null {
  const { youngMsMin, youngMsMax, refireMs } = limits
  if (fired.lastAtMs !== null) return atMs - fired.lastAtMs >= refireMs ? 'refire' : null
  if (ageMs < youngMsMin) return null
  return ageMs <= youngMsMax ? 'main' : 'old'
}

function meets({ buys, netWei }: SwapWindow, least: Threshold): boolean {
  // Compares the counts first, because this is fast and nearly all windows fail here.
  return buys >= least.buys && netWei >= least.netWei
}

/** Returns whether buying continues in the last part of the window. Only the main thresholds need this; `lite` does not. */
const isStillBuying = ({ recentBuys, recentNetWei }: SwapWindow): boolean => recentBuys > 0 && recentNetWei > 0n
