/**
 * Computes a confidence interval of a mean by the stationary bootstrap (Politis and Romano, 1994). The
 * bootstrap resamples a history of trades in blocks.
 */

/**
 * The trades of one token on one day. The results of these trades rise and fall together, so the trades are drawn together. Clusters are in
 * time order.
 */
export type Cluster = Readonly<{ sum: number; n: number }>

/** Creates a generator of numbers in [0, 1). It has a seed, so that the same trades give the same interval. */
export function createDraw(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

type Options = Readonly<{ seed: number; draws: number; level: number }>

/**
 * The percentile interval of the mean over all trades. Null for fewer than two clusters, because one cluster
 * has no spread.
 */
export function meanInterval(
  clusters: readonly Cluster[],
  { seed, draws, level }: Options,
): readonly [low: number, high: number] | null {
  const { length } = clusters
  if (length < 2) return null
  const draw = createDraw(seed)
  const blockLength = Math.max(1, Math.round(length ** (1 / 3)))
  const means = Array.from({ length: draws }, () => redrawnMean(clusters, { draw, blockLength }))
  means.sort((left, right) => left - right)
  const at = (share: number) => means[Math.min(draws - 1, Math.floor(share * draws))] ?? 0
  return [at((1 - level) / 2), at((1 + level) / 2)]
}

type Redraw = Readonly<{ draw: () => number; blockLength: number }>

/**
 * The mean of one resample. With probability 1 - 1/`blockLength`, a block continues with the next cluster.
 * After the last cluster comes the first cluster.
 */
function redrawnMean(clusters: readonly Cluster[], { draw, blockLength }: Redraw): number {
  let [sum, n, at] = [0, 0, 0]
  for (let drawn = 0; drawn < clusters.length; drawn++) {
    at = drawn === 0 || draw() * blockLength < 1 ? Math.floor(draw() * clusters.length) : (at + 1) % clusters.length
    const cluster = clusters[at]
    sum += cluster?.sum ?? 0
    n += cluster?.n ?? 0
  }
  return n === 0 ? 0 : sum / n
}
