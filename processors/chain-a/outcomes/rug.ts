/**
 * How much of the liquidity at a signal is left, judged transaction by transaction: a transaction that removes liquidity and
 * puts it back (a rebalancing) is no pull. Measured by the ETH side, at the price before the transaction changed the liquidity.
 */
import type { LiquidityChanged } from '../../../schemas/chain-a/facts.ts'
import { changeLiquidity, liquidityEth, type Positions } from '../pools/positions.ts'

/** It is a rug if no more than this share of the liquidity at the signal is left. */
export const rugRatioMax = 0.2
/** For the rounding of products of doubles. */
const tolerance = 1e-12

/** The liquidity of a pool, and the transaction that is changing it. */
export type Pullable = {
  readonly ethIsCurrency0: boolean
  positions: Positions
  /** The price after the last counted swap. A burst has one before it. */
  sqrtPriceX96: bigint
  open: OpenTransaction | null
}

/** Begins at its first change of liquidity. `ethBefore` is the ETH side at the price of that moment. */
type OpenTransaction = Readonly<{
  txHash: string
  atMs: number
  sqrtPriceX96: bigint
  ethBefore: number
}>

/** The result of a transaction: `ratio` is the ETH side after it / before it. */
export type Pull = Readonly<{ atMs: number; ratio: number }>

export const isRug = (remaining: number): boolean => remaining <= rugRatioMax + tolerance

/** Applies a change. `isWatched` says whether the ratio of the transaction is needed. Earlier transactions must be closed. */
export function takeLiquidity(pool: Pullable, change: LiquidityChanged, isWatched: boolean): void {
  const { positions, sqrtPriceX96, ethIsCurrency0 } = pool
  if (change.liquidityDelta === 0n) return
  if (isWatched && pool.open === null) {
    const ethBefore = liquidityEth(positions, sqrtPriceX96, ethIsCurrency0)
    const { txHash, blockAtMs: atMs } = change
    pool.open = { txHash, atMs, sqrtPriceX96, ethBefore }
  }
  changeLiquidity(pool, change)
}

/** True if a transaction is open and the fact belongs to a later one. */
export const isBehind = ({ open }: Pullable, fact: Readonly<{ txHash: string }>): boolean =>
  open !== null && open.txHash !== fact.txHash

/** Ends the open transaction. Null if there is none, or if there was no liquidity before it. */
export function closeTransaction(pool: Pullable): Pull | null {
  const { open, positions, ethIsCurrency0 } = pool
  pool.open = null
  if (open === null || open.ethBefore <= 0) return null
  return { atMs: open.atMs, ratio: liquidityEth(positions, open.sqrtPriceX96, ethIsCurrency0) / open.ethBefore }
}
