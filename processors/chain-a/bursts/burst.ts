/** When a pool's window is a burst, and of which tier. */
import type { Tier } from '../../../schemas/chain-a/derived.ts'
import type { SwapWindow } from './window.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

export const thresholds = {
  main: { netWei: 10n ** 18n, buys: 12 },
  lite: { netWei: 10n ** 18n / 2n, buys: 8 },
} as const

/** Ages are inclusive at both ends. Only `old` begins right after the end of `main`. */
export const ages = { youngMsMin: 5 * minuteMs, youngMsMax: 6 * hourMs, oldMsMax: 24 * hourMs } as const

/** Least time since the pool's last main, refire or old burst. */
export const refireMs = 30 * minuteMs

/** No burst fires on a pool older than this: its swaps are not taken. */
export const isPastBursts = (ageMs: number): boolean => ageMs > ages.oldMsMax

/** What has fired on a pool. */
export type Fired = {
  lite: boolean
  /** Time of the last main, refire or old burst. Every later one is a refire, so their tiers need not be stored. */
  lastAtMs: number | null
}

export const nothingFired = (): Fired => ({ lite: false, lastAtMs: null })

/** The tiers that fire at `atMs`, each over its own thresholds: main, refire or old first, then `lite`. Often none. */
export function tiersAt(
  window: SwapWindow,
  fired: Fired,
  time: Readonly<{ atMs: number; ageMs: number }>,
): readonly Tier[] {
  const tiers: Tier[] = []
  const full = meets(window, 'main') && isStillBuying(window) ? fullTierAt(fired, time) : null
  if (full) tiers.push(full)
  if (meets(window, 'lite') && !fired.lite && isYoung(time.ageMs)) tiers.push('lite')
  return tiers
}

export function recordFired(fired: Fired, tier: Tier, atMs: number): void {
  if (tier === 'lite') fired.lite = true
  else fired.lastAtMs = atMs
}

const isYoung = (ageMs: number): boolean => ageMs >= ages.youngMsMin && ageMs <= ages.youngMsMax

type FullTier = 'main' | 'refire' | 'old'

/** The tier of a window over the main thresholds: first `main` or `old`, by age, then `refire` after the least time. */
function fullTierAt(fired: Fired, time: Readonly<{ atMs: number; ageMs: number }>): FullTier | null {
  const { atMs, ageMs } = time
  if (fired.lastAtMs !== null) return atMs - fired.lastAtMs >= refireMs ? 'refire' : null
  if (ageMs < ages.youngMsMin) return null
  return ageMs <= ages.youngMsMax ? 'main' : 'old'
}

function meets({ buys, netWei }: SwapWindow, tier: keyof typeof thresholds): boolean {
  // Counts first: they are cheap to compare, and nearly all windows are below them.
  return buys >= thresholds[tier].buys && netWei >= thresholds[tier].netWei
}

/** Asked of the main thresholds alone: `lite` fires whatever the last seconds were like. */
const isStillBuying = ({ recentBuys, recentNetWei }: SwapWindow): boolean => recentBuys > 0 && recentNetWei > 0n
