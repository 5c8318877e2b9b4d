/**
 * Computes trades on the curve and in the pool as the documentation of the launch program describes. The
 * amounts are without fees.
 */

/** The reserves from which the price is computed. */
export type Reserves = Readonly<{ quoteRaw: bigint; tokenRaw: bigint }>

/** Returns the cost of a buy on the curve. It is one lamport more than the product formula gives. */
export const curveCost = ({ quoteRaw: x, tokenRaw: y }: Reserves, tokens: bigint): bigint =>
  (x * tokens) / (y - tokens) + 1n
export const curveTokensFor = ({ quoteRaw: x, tokenRaw: y }: Reserves, lamports: bigint): bigint =>
  ((lamports - 1n) * y) / (x + lamports - 1n)

/** Returns the cost of a buy in the pool, rounded up. */
export const poolCost = ({ quoteRaw: q, tokenRaw: b }: Reserves, tokens: bigint): bigint => {
  const left = b - tokens
  return (q * tokens + left - 1n) / left
}
export const poolTokensFor = ({ quoteRaw: q, tokenRaw: b }: Reserves, lamports: bigint): bigint =>
  (lamports * b) / (q + lamports)

/** Returns the proceeds of a sale on the curve or in the pool, rounded down. */
export const proceeds = ({ quoteRaw: q, tokenRaw: b }: Reserves, tokens: bigint): bigint => (q * tokens) / (b + tokens)

/** Returns the price in SOL per whole token. */
export const priceOf = ({ quoteRaw, tokenRaw }: Reserves): number => Number(quoteRaw) / 1e9 / (Number(tokenRaw) / 1e6)

/** Returns a fee, rounded up. */
export const feeOf = (lamports: bigint, basisPoints: bigint): bigint => (lamports * basisPoints + 9_999n) / 10_000n
