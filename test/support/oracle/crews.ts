/** Finds crews: wallets that bought in several bursts. */
export type OracleCrew = Readonly<{ wallet: string; bursts: number; lastSeenAtMs: number }>

/**
 * A burst. `wallets` are the wallets of its buyers. Null: the service does not look up the senders for this
 * tier.
 */
type Burst = Readonly<{ at: number; wallets: readonly string[] | null }>

/**
 * Returns the crews. Those with the most bursts come first. Among equals, the crew that was seen last comes
 * first.
 */
export function findCrews(
  bursts: readonly Burst[],
  leastBursts: number,
): Readonly<{ walletsTracked: number; crews: readonly OracleCrew[] }> {
  const wallets = new Set(bursts.flatMap((burst) => burst.wallets ?? []))
  const crews = [...wallets].map((wallet) => {
    const seen = bursts.filter((burst) => burst.wallets?.includes(wallet))
    return { wallet, bursts: seen.length, lastSeenAtMs: Math.max(...seen.map(({ at }) => at)) }
  })
  crews.sort((one, other) => {
    if (one.bursts !== other.bursts) return other.bursts - one.bursts
    return other.lastSeenAtMs - one.lastSeenAtMs || (one.wallet < other.wallet ? -1 : 1)
  })
  return { walletsTracked: wallets.size, crews: crews.filter((crew) => crew.bursts >= leastBursts) }
}
