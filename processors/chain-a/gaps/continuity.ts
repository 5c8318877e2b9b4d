/**
 * Whether a swap begins where the one before it ended. What a swap takes out of a pool is exact and without fees, so with its
 * liquidity and the price after it, it says the price before it.
 */
import type { Swap } from '../../../schemas/chain-a/facts.ts'
import type { Hex } from '../../../schemas/units.ts'

export type WatchedPool = {
  readonly pool: Hex
  readonly ethIsCurrency0: boolean
  /** Where the last swap left the pool, or its creation: the square root of the price; 0: it has none yet. */
  root: number
  /** The price tick there. Null: the initial price is too close to one to tell. */
  priceTick: number | null
  /** In range there, if the price tick is known. */
  liquidity: bigint
  /** When. */
  atMs: number
  /** Price ticks at which positions began or ended, each once. Null: too many to keep. */
  bounds: readonly number[] | null
}

/**
 * `linked`: nothing is missing. `broken`: swaps are missing; the price was `root` before the swap. `unjudged`: the swap changed
 * the liquidity in range, or may have, so that its amounts do not say the price before it.
 */
export type Link = Readonly<{ kind: 'linked' } | { kind: 'unjudged' } | { kind: 'broken'; root: number }>

const linked: Link = { kind: 'linked' }
const unjudged: Link = { kind: 'unjudged' }

const q96 = 2 ** 96
/** Some ten roundings to a double, each of 2^-53 at most. */
const roundings = 1e-14
/** The contracts round the price, and twice the amount, by less than one unit each. */
const units = 2

/** The square root of the price from its Q64.96 form. */
export const rootOf = (sqrtPriceX96: bigint): number => Number(sqrtPriceX96) / q96

type Move = Pick<Swap, 'ethWei' | 'tokenRaw' | 'liquidity' | 'tick'> & Readonly<{ root: number }>

/** The pool still stands where the last swap left it. */
export function linkOf(pool: WatchedPool, swap: Move): Link {
  if (pool.priceTick === null || swap.liquidity === 0n || swap.liquidity !== pool.liquidity) return unjudged
  const liquidity = Number(swap.liquidity)
  const root = rootBefore(pool, swap, liquidity)
  // One unit of the currency that goes out, and one of the price in Q64.96, relative to the price.
  const unitOut = isEthOut(swap) === pool.ethIsCurrency0 ? root / liquidity : 1 / (root * liquidity)
  const tolerance = roundings + units * (unitOut + 1 / (root * q96))
  if (Math.abs(root / pool.root - 1) <= tolerance) return linked
  return mayCross(pool, swap.tick) ? unjudged : { kind: 'broken', root }
}

const isEthOut = ({ ethWei }: Pick<Swap, 'ethWei'>): boolean => ethWei < 0n

/** Sums of positive numbers alone, so the error stays that of a few roundings. */
function rootBefore({ ethIsCurrency0 }: WatchedPool, swap: Move, liquidity: number): number {
  const out = isEthOut(swap) ? -Number(swap.ethWei) : Number(swap.tokenRaw)
  const isZeroOut = isEthOut(swap) === ethIsCurrency0
  return isZeroOut ? 1 / (1 / swap.root + out / liquidity) : swap.root + out / liquidity
}

/** Whether a position begins or ends between where the pool stood and where it stands. */
function mayCross({ priceTick, bounds }: WatchedPool, toTick: number): boolean {
  if (priceTick === null || bounds === null) return true
  const lower = Math.min(priceTick, toTick)
  const upper = Math.max(priceTick, toTick)
  return bounds.some((bound) => bound > lower && bound <= upper)
}

/**
 * The wei that went through the pool between two prices at its liquidity. Null: a position begins or ends on the way, so that the
 * liquidity was another one.
 */
export function weiBetween(pool: WatchedPool, root: number): bigint | null {
  const edge = priceTickOf(root)
  if (mayCross(pool, Math.floor(edge)) || mayCross(pool, Math.ceil(edge))) return null
  const moved = pool.ethIsCurrency0 ? 1 / root - 1 / pool.root : root - pool.root
  const wei = Math.round(Math.abs(moved) * Number(pool.liquidity))
  return Number.isFinite(wei) ? BigInt(wei) : null
}

/** A price tick with its fraction, within some 1e-9. */
export const priceTickOf = (root: number): number => (2 * Math.log(root)) / Math.log(1.0001)
