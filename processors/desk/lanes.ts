/**
 * Selects the lanes of the paper desk that act on a signal, and tests whether a market fits a lane. A lane is
 * a named set of entry and exit rules.
 */
import type { Band, BurstEntry, Desk, Lane } from '../../schemas/desk/rules.ts'
import type { EpochMs, MarketId } from '../../schemas/units.ts'
import type { Market } from '../markets/prices.ts'

/**
 * A burst as a signal for the paper desk. `tier` and `shape` are null on a chain whose bursts have none.
 * `fill` is null for a pool.
 */
export type BurstSignal = Readonly<{
  market: MarketId
  atMs: EpochMs
  tier: string | null
  shape: string | null
  fill: number | null
}>

export const lanesOfBurst = ({ lanes }: Desk, burst: BurstSignal): readonly Lane[] =>
  lanes.filter(({ entry }) => entry.signal === 'burst' && takesBurst(entry, burst))

const takesBurst = ({ tiers, shapes, fillMax }: BurstEntry, { tier, shape, fill }: BurstSignal): boolean =>
  isAmong(tiers, tier) && isAmong(shapes, shape) && (fillMax === null || (fill !== null && fill <= fillMax))

export const lanesOfCall = ({ lanes }: Desk, chats: number): readonly Lane[] =>
  lanes.filter(({ entry }) => entry.signal === 'call' && entry.chats === chats)

/**
 * Returns the largest number of chats for which a lane acts on a call. A call in a further chat is no signal.
 */
export const chatsMaxOf = ({ lanes }: Desk): number =>
  Math.max(1, ...lanes.map(({ entry }) => (entry.signal === 'call' ? entry.chats : 1)))

const isAmong = (allowed: readonly string[] | null, given: string | null): boolean =>
  allowed === null || (given !== null && allowed.includes(given))

/**
 * Returns whether the market fits the limits of source, age and fill. A market of unknown age does not fit a
 * limit of the age.
 */
export function isInBand(
  { source, ageMs, fill }: Band,
  market: Pick<Market, 'source' | 'openedAtMs' | 'fill'>,
  atMs: EpochMs,
): boolean {
  if (source !== null && source !== market.source) return false
  if (ageMs !== null && (market.openedAtMs === null || !isWithin(ageMs, atMs - market.openedAtMs))) return false
  return fill === null || (market.fill !== null && isWithin(fill, market.fill))
}

const isWithin = ([min, max]: readonly [number, number], value: number): boolean => value >= min && value <= max
