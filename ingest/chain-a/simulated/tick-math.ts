/** Square-root prices of ticks, Q64.96, within a few units of the contracts' own last digit. */

const fraction = 128n
const logOfTick = Math.log(1.0001)

/** The last prices a swap can be pushed to when nothing is left to trade against. */
export const sqrtPriceLeast = 4295128740n
export const sqrtPriceMost = 1461446703485210103287273052203988822378723970341n

/** sqrt(1.0001) in Q128, by Newton's method on 10001 / 10000. */
const rootOfTick = wholeRoot((10001n << (2n * fraction)) / 10000n)

function wholeRoot(square: bigint): bigint {
  let guess = 1n << BigInt((square.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (guess + square / guess) >> 1n
    if (next >= guess) return guess
    guess = next
  }
}

const known = new Map<number, bigint>()

export function sqrtAtTick(tick: number): bigint {
  const cached = known.get(tick)
  if (cached !== undefined) return cached
  let power = 1n << fraction
  let factor = rootOfTick
  for (let left = Math.abs(tick); left > 0; left >>= 1) {
    if (left & 1) power = (power * factor) >> fraction
    factor = (factor * factor) >> fraction
  }
  const sqrt = tick < 0 ? (1n << (fraction + 96n)) / power : power >> (fraction - 96n)
  known.set(tick, sqrt)
  return sqrt
}

/** The greatest tick whose price is at most this one. Doubles: at the very edge of a tick it may be one off. */
export function tickAtSqrt(sqrtPriceX96: bigint): number {
  return Math.floor((2 * Math.log(Number(sqrtPriceX96) / 2 ** 96)) / logOfTick)
}
