/** Wallets that meet again in burst after burst. */
import type { OracleBurst } from './bursts.ts'

export type OracleCrew = Readonly<{ wallet: string; bursts: number; lastSeenAt: number }>

const minuteMs = 60_000

/** Of bursts whose buyers are known; `lite` has none. */
export function findCrews(
  bursts: readonly OracleBurst[],
): Readonly<{ walletsTracked: number; crews: readonly OracleCrew[] }> {
  const wallets = new Set(bursts.flatMap((burst) => burst.wallets ?? []))
  const crews = [...wallets].map((wallet) => {
    const seen = bursts.filter((burst) => burst.wallets?.includes(wallet))
    const lastSeenAt = Math.floor(Math.max(...seen.map(({ at }) => at)) / minuteMs) * minuteMs
    return { wallet, bursts: seen.length, lastSeenAt }
  })
  return { walletsTracked: wallets.size, crews: crews.filter(({ bursts: count }) => count >= 3) }
}
