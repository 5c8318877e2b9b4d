/**
 * How much of a pool's liquidity is left of what stood at a signal, judged transaction by transaction: what is taken out and
 * put back in one (a rebalancing) is no pull. Measured by the ETH side, at the price before the transaction touched it.
 */
import type { LiquidityChanged } from '../../../schemas/chain-a/facts.ts'
import { changeLiquidity, liquidityEth, type Positions } from '../pools/positions.ts'

/** Of the liquidity at the signal: what is left when it is a rug. */
export const rugRatioMax = 0.2
/** Ratios are products of doubles. */
const tolerance = 1e-12

/** A pool's liquidity, and the transaction that is changing it. */
export type Pullable = {
  readonly ethIsCurrency0: boolean
  readonly positions: Positions
  /** After the last counted swap, else the initial one; null on v3 before it is set. */
  sqrtPriceX96: bigint | null
  open: OpenTransaction | null
}

/** From its first change of liquidity on; `ethBefore` stands at the price of that moment. */
type OpenTransaction = Readonly<{
  txHash: string
  blockNumber: number
  atMs: number
  sqrtPriceX96: bigint
  ethBefore: number
}>

/** A transaction's end: `ratio` is the ETH side after it over that before it. */
export type Pull = Readonly<{ atMs: number; ratio: number }>

export const isRug = (remaining: number): boolean => remaining <= rugRatioMax + tolerance

/** Takes a change in; `isWatched` says whether anybody asks for the transaction's ratio. Transactions before it are closed. */
export function takeLiquidity(pool: Pullable, change: LiquidityChanged, isWatched: boolean): void {
  const { positions, sqrtPriceX96, ethIsCurrency0 } = pool
  if (change.liquidityDelta === 0n) return
  if (isWatched && pool.open === null && sqrtPriceX96 !== null) {
    const ethBefore = liquidityEth(positions, sqrtPriceX96, ethIsCurrency0)
    const { txHash, blockNumber, blockAtMs: atMs } = change
    pool.open = { txHash, blockNumber, atMs, sqrtPriceX96, ethBefore }
  }
  changeLiquidity(positions, change)
}

/** True when a transaction is open and the fact stands behind it. */
export const isBehind = ({ open }: Pullable, fact: Readonly<{ blockNumber: number; txHash: string }>): boolean =>
  open !== null && (open.blockNumber !== fact.blockNumber || open.txHash !== fact.txHash)

/** Ends the open transaction; null when there is none, or where there was nothing to take a share of. */
export function closeTransaction(pool: Pullable): Pull | null {
  const { open, positions, ethIsCurrency0 } = pool
  pool.open = null
  if (open === null || open.ethBefore <= 0) return null
  return { atMs: open.atMs, ratio: liquidityEth(positions, open.sqrtPriceX96, ethIsCurrency0) / open.ethBefore }
}
