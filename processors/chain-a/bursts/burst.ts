/** When a pool's window is a burst, and of which tier. */
import type { Tier } from '../../../schemas/chain-a/derived.ts'
import type { SwapWindow } from './window.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

export const thresholds = {
  main: { netWei: 10n ** 18n, buys: 12 },
  lite: { netWei: 10n ** 18n / 2n, buys: 8 },
} as const

/** Ages are inclusive on both ends, but for `old`, which begins where `main` has ended. */
export const ages = { youngMsMin: 5 * minuteMs, youngMsMax: 6 * hourMs, oldMsMax: 24 * hourMs } as const

/** From the pool's last main, refire or old burst. */
export const refireMs = 30 * minuteMs

/** No burst fires on a pool older than this. */
export const isPastBursts = (ageMs: number): boolean => ageMs > ages.oldMsMax

/** What fired on a pool before. */
export type Fired = {
  lite: boolean
  /** Of the last main, refire or old burst: after it every further one is a refire, so their names need no remembering. */
  lastAtMs: number | null
}

export const nothingFired = (): Fired => ({ lite: false, lastAtMs: null })

const none: readonly Tier[] = []

/** The tiers that the window fires at `atMs`: the main-threshold one first, then `lite`; often none, at most two. */
export function tiersAt(
  window: SwapWindow,
  fired: Fired,
  time: Readonly<{ atMs: number; ageMs: number }>,
): readonly Tier[] {
  if (!meets(window, 'lite')) return none
  const tiers: Tier[] = []
  const full = meets(window, 'main') ? fullTierAt(fired, time) : null
  if (full) tiers.push(full)
  if (!fired.lite && isYoung(time.ageMs)) tiers.push('lite')
  return tiers
}

export function recordFired(fired: Fired, tier: Tier, atMs: number): void {
  if (tier === 'lite') fired.lite = true
  else fired.lastAtMs = atMs
}

const isYoung = (ageMs: number): boolean => ageMs >= ages.youngMsMin && ageMs <= ages.youngMsMax

/** What a window over the main thresholds is: once `main` in youth, else once `old`, else a `refire` when it is time. */
function fullTierAt(fired: Fired, time: Readonly<{ atMs: number; ageMs: number }>): Exclude<Tier, 'lite'> | null {
  const { atMs, ageMs } = time
  if (isPastBursts(ageMs)) return null
  if (fired.lastAtMs !== null) return atMs - fired.lastAtMs >= refireMs ? 'refire' : null
  if (isYoung(ageMs)) return 'main'
  return ageMs > ages.youngMsMax ? 'old' : null
}

function meets(window: SwapWindow, tier: keyof typeof thresholds): boolean {
  const { netWei, buys } = thresholds[tier]
  // The counts first: nearly all windows fall short of them, and they are compared soonest.
  if (window.buys < buys || window.recentBuys === 0) return false
  return window.recentNetWei > 0n && window.netWei >= netWei
}
