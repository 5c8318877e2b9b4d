/** The arithmetic of the curve and of the pool, from the documentation of the launch program. The amounts are without fees. */

/** The reserves that give the price. */
export type Reserves = Readonly<{ quoteRaw: bigint; tokenRaw: bigint }>

/** A buy on the curve costs a lamport more than the product formula gives. */
export const curveCost = ({ quoteRaw: x, tokenRaw: y }: Reserves, tokens: bigint): bigint =>
  (x * tokens) / (y - tokens) + 1n
export const curveTokensFor = ({ quoteRaw: x, tokenRaw: y }: Reserves, lamports: bigint): bigint =>
  ((lamports - 1n) * y) / (x + lamports - 1n)

/** The cost of a buy in the pool is rounded up. */
export const poolCost = ({ quoteRaw: q, tokenRaw: b }: Reserves, tokens: bigint): bigint => {
  const left = b - tokens
  return (q * tokens + left - 1n) / left
}
export const poolTokensFor = ({ quoteRaw: q, tokenRaw: b }: Reserves, lamports: bigint): bigint =>
  (lamports * b) / (q + lamports)

/** The proceeds of a sale are rounded down, on the curve and in the pool. */
export const proceeds = ({ quoteRaw: q, tokenRaw: b }: Reserves, tokens: bigint): bigint => (q * tokens) / (b + tokens)

/** The price in SOL per whole token. */
export const priceOf = ({ quoteRaw, tokenRaw }: Reserves): number => Number(quoteRaw) / 1e9 / (Number(tokenRaw) / 1e6)

/** A fee in basis points, rounded up. */
export const feeOf = (lamports: bigint, basisPoints: bigint): bigint => (lamports * basisPoints + 9_999n) / 10_000n
