/** Seeded random numbers. The same seed (`words`) gives the same numbers in every run. */

const scramble = (word: number): number => {
  let mixed = word
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/** Mixes a list of numbers into one unsigned 32-bit number. Only the low 32 bits of each number count. */
export function mix(...words: readonly number[]): number {
  let mixed = 0x9e3779b9
  for (const word of words) mixed = scramble(mixed ^ word) + 0x6d2b79f5
  return scramble(mixed)
}

/** Mixes two numbers into one. The function is called several times per fact, so it creates no array. */
export const mixTwo = (left: number, right: number): number => scramble((scramble(left) + 0x6d2b79f5) ^ right)

export type Random = Readonly<{
  /** A number in [0, 1). */
  unit(): number
  /** A whole number in [least, most]. */
  whole(least: number, most: number): number
  chance(probability: number): boolean
  exponential(mean: number): number
  logNormal(median: number, sigma: number): number
  /**
   * A random number of at least `least` with a power-law distribution: the share of numbers above x is
   * proportional to x^-alpha.
   */
  pareto(least: number, alpha: number): number
  pick<Item>(items: readonly [Item, ...Item[]]): Item
}>

export function createRandom(...words: readonly number[]): Random {
  let state = mix(...words)
  const step = mix(...words, 1) | 1
  const unit = () => {
    // A Weyl sequence with a scrambler, which needs one addition and two multiplications per number. Each
    // seed has its own increment (`step`).
    state = (state + step) | 0
    return scramble(state) / 2 ** 32
  }
  const normal = () => Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit())
  const whole = (least: number, most: number) => least + Math.floor(unit() * (most - least + 1))
  return {
    unit,
    whole,
    chance: (probability) => unit() < probability,
    exponential: (mean) => -mean * Math.log(1 - unit()),
    logNormal: (median, sigma) => median * Math.exp(sigma * normal()),
    pareto: (least, alpha) => least * (1 - unit()) ** (-1 / alpha),
    pick: (items) => items[whole(0, items.length - 1)] ?? items[0],
  }
}

/** Returns the same items in a random order. */
export function shuffled<Item>(items: readonly Item[], random: Random): readonly Item[] {
  return items
    .map((item) => ({ item, rank: random.unit() }))
    .sort((left, right) => left.rank - right.rank)
    .map(({ item }) => item)
}
