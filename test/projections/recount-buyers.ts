/**
 * Counts wallets that buy in many bursts (crews) and repeat buyers, in plain loops over the published buyers.
 * Shares no code with the queries.
 */
import type { Tier } from '../../schemas/chain-a/derived.ts'
import type { Hex } from '../../schemas/units.ts'
import { findCrews, type OracleCrew } from '../support/oracle/crews.ts'

/** The buyers of a burst in one tick. `wallets` null: the row was withdrawn. */
export type BuyersVersion = Readonly<{
  pool: Hex
  tier: Tier
  atMs: number
  knownAtMs: number
  /** True: the burst was published in the same tick. */
  isNew: boolean
  wallets: readonly Hex[] | null
}>

/** A time at which the service knew its rows, and the time of the newest block that it knew then. */
type Instant = Readonly<{ atMs: number; blockAtMs: number }>

const memoryMs = 30 * 86_400_000

/**
 * Returns the last versions known at `atMs`, without withdrawn rows and without bursts after the newest
 * block.
 */
function windowsAt(versions: readonly BuyersVersion[], { atMs, blockAtMs }: Instant) {
  const last = new Map<string, BuyersVersion>()
  for (const version of versions)
    if (version.knownAtMs <= atMs) last.set(`${version.pool} ${version.tier} ${version.atMs}`, version)
  return [...last.values()].flatMap(({ wallets, ...rest }) =>
    wallets === null || rest.atMs > blockAtMs ? [] : [{ ...rest, wallets: new Set(wallets) }],
  )
}

export function recountCrews(
  versions: readonly BuyersVersion[],
  cut: Instant,
  { minBursts, limit }: Readonly<{ minBursts: number; limit: number }>,
): Readonly<{ walletsTracked: number; crews: readonly OracleCrew[] }> {
  const windows = windowsAt(versions, cut).filter(({ atMs }) => atMs > cut.blockAtMs - memoryMs)
  const bursts = windows.map(({ atMs: at, wallets }) => ({ at, wallets: [...wallets] }))
  const { walletsTracked, crews } = findCrews(bursts, minBursts)
  return { walletsTracked, crews: crews.slice(0, limit) }
}

const [lateAfterMs, waitMs, askedMsMax] = [120_000, 60_000, 25 * 3_600_000]

/**
 * Returns the number of repeat buyers of each main burst, by `pool instant`. A repeat buyer also bought in an
 * earlier burst of the last 30 days. An earlier burst counts if it became known late, or if its buyers became
 * known at most a minute after those of the main burst. The number is null while an earlier burst that may
 * count has no known buyers.
 */
export function recountRepeats(versions: readonly BuyersVersion[], cut: Instant): ReadonlyMap<string, number | null> {
  const windows = windowsAt(versions, cut)
  const nameOf = ({ pool, tier, atMs }: Readonly<{ pool: Hex; tier: Tier; atMs: number }>) => `${pool} ${tier} ${atMs}`
  const bursts = new Map(
    versions.filter(({ isNew, knownAtMs }) => isNew && knownAtMs <= cut.atMs).map((told) => [nameOf(told), told]),
  )
  const isLate = (burst: Readonly<{ pool: Hex; tier: Tier; atMs: number }>) =>
    (bursts.get(nameOf(burst))?.knownAtMs ?? 0) > burst.atMs + lateAfterMs
  const named = new Set(windows.map(nameOf))
  const open = [...bursts.values()].filter(
    (burst) => !named.has(nameOf(burst)) && burst.atMs >= cut.atMs - askedMsMax && burst.atMs <= cut.blockAtMs,
  )
  const repeatsOf = ({ atMs, knownAtMs, wallets }: (typeof windows)[number]): number | null => {
    const toMs = knownAtMs + waitMs
    if (open.some((burst) => burst.atMs < atMs && (isLate(burst) || cut.atMs < toMs))) return null
    const earlier = windows.filter((window) => window.atMs < atMs && window.atMs >= atMs - memoryMs)
    const counted = earlier.filter((window) => window.knownAtMs <= toMs || isLate(window))
    return [...wallets].filter((wallet) => counted.some((window) => window.wallets.has(wallet))).length
  }
  const main = windows.filter(({ tier }) => tier === 'main')
  return new Map(main.map((window) => [`${window.pool} ${window.atMs}`, repeatsOf(window)]))
}
