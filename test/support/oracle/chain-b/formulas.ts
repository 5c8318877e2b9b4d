/** The arithmetic of the curve and of the pool, as the facts about the launch program have it. Amounts without fees. */

/** What gives the price. */
export type Reserves = Readonly<{ quoteRaw: bigint; tokenRaw: bigint }>

/** On the curve: a buy costs a lamport more than its part of the product. */
export const curveCost = ({ quoteRaw: x, tokenRaw: y }: Reserves, tokens: bigint): bigint =>
  (x * tokens) / (y - tokens) + 1n
export const curveTokensFor = ({ quoteRaw: x, tokenRaw: y }: Reserves, lamports: bigint): bigint =>
  ((lamports - 1n) * y) / (x + lamports - 1n)

/** In the pool: a buy is rounded up. */
export const poolCost = ({ quoteRaw: q, tokenRaw: b }: Reserves, tokens: bigint): bigint => {
  const left = b - tokens
  return (q * tokens + left - 1n) / left
}
export const poolTokensFor = ({ quoteRaw: q, tokenRaw: b }: Reserves, lamports: bigint): bigint =>
  (lamports * b) / (q + lamports)

/** A sale is rounded down, on the curve and in the pool. */
export const proceeds = ({ quoteRaw: q, tokenRaw: b }: Reserves, tokens: bigint): bigint => (q * tokens) / (b + tokens)

/** SOL per whole token. */
export const priceOf = ({ quoteRaw, tokenRaw }: Reserves): number => Number(quoteRaw) / 1e9 / (Number(tokenRaw) / 1e6)

/** A fee in basis points, rounded up. */
export const feeOf = (lamports: bigint, basisPoints: bigint): bigint => (lamports * basisPoints + 9_999n) / 10_000n
