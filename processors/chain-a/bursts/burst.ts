/** Decides when a pool's window is a burst, and of which tier. */
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
  /** Time of the last main, refire or old burst. After the first one, all of these are refires, so no tier is stored. */
  lastAtMs: EpochMs | null
}

export const nothingFired = (): Fired => ({ lite: false, lastAtMs: null })

/** The tiers that fire at `atMs`, each over its own thresholds: one of main, refire and old, then `lite`. Usually empty. */
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

/** The tier of a window over the main thresholds: the first time `main` or `old`, by age, and after `refireMs` always `refire`. */
function fullTierAt(fired: Fired, { atMs, ageMs }: Time, limits: BurstLimits): FullTier | null {
  const { youngMsMin, youngMsMax, refireMs } = limits
  if (fired.lastAtMs !== null) return atMs - fired.lastAtMs >= refireMs ? 'refire' : null
  if (ageMs < youngMsMin) return null
  return ageMs <= youngMsMax ? 'main' : 'old'
}

function meets({ buys, netWei }: SwapWindow, least: Threshold): boolean {
  // Compares counts first: they are cheap, and nearly all windows fail here.
  return buys >= least.buys && netWei >= least.netWei
}

/** Applies only to the main thresholds: `lite` fires whatever happened in the last seconds. */
const isStillBuying = ({ recentBuys, recentNetWei }: SwapWindow): boolean => recentBuys > 0 && recentNetWei > 0n
