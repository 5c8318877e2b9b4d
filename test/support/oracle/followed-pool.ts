/**
 * Follows a pool of chain A fact by fact. It computes the prices, and the share of the pool's ETH that is
 * left after each transaction.
 */
import type {
  ChainARecord,
  LiquidityChanged,
  PoolCreated,
  PositionTransferred,
  Swap,
} from '../../../schemas/chain-a/facts.ts'
import { burstsOfPool, type OracleBurst } from './bursts.ts'
import type { Told as Move } from './desk/desk.ts'
import { doesCount, type OraclePool, type OracleSwap, priceOf } from './events.ts'
import { type OracleRules, oracleRules } from './oracle-rules.ts'
import { ethHeld } from './pool-rows.ts'

/** A price of a pool. `sqrtPrice` is the square root of the first currency's price. */
export type PoolPrice = Readonly<{ atMs: number; px: number; sqrtPrice: number }>

/**
 * A transaction that changed the liquidity. `ratio` is the ETH after the transaction divided by the ETH
 * before it. Both amounts are computed at the price before the transaction. If there was no ETH, `ratio` is
 * 1.
 */
export type Pull = Readonly<{ atMs: number; block: number; eth: number; ratio: number; isEmptied: boolean }>

type Telling = Readonly<{ priced(price: PoolPrice): void; swapped?(swap: OracleSwap): void; pulled(pull: Pull): void }>
type Open = Readonly<{ change: LiquidityChanged; eth: number; sqrtPrice: number; wasEmpty: boolean }>

export function poolOf(created: PoolCreated): OraclePool {
  const { pool: id, dex, token, hooks, ethIsCurrency0: ethIsToken0, blockAtMs: createdAtMs } = created
  const place = { createdBlock: created.blockNumber, createdAtMs, creator: created.txSender ?? '' }
  return { id, dex, token, hooks, ethIsToken0, ...place }
}

export class FollowedPool {
  readonly pool: OraclePool
  readonly changes: LiquidityChanged[] = []
  readonly transfers: PositionTransferred[] = []
  readonly #telling: Telling
  #sqrtPrice: number | null = null
  #order = 0
  /** The current transaction, if it changes the liquidity. */
  #open: Open | null = null
  #isCreated = false

  constructor(created: PoolCreated, telling: Telling) {
    this.pool = poolOf(created)
    this.#telling = telling
  }

  take({ type, data }: ChainARecord): void {
    if (!('pool' in data) || data.pool !== this.pool.id || !('txHash' in data)) return
    if (this.#open !== null && this.#open.change.txHash !== data.txHash) this.settle()
    if (type === 'PoolCreated' && this.#isCreated) return
    if (type === 'PoolCreated') this.#isCreated = true
    if ((type === 'PoolCreated' || type === 'PoolInitialized') && data.sqrtPriceX96 !== null)
      this.#takePrice(data.sqrtPriceX96, data.blockAtMs)
    if (type === 'Swap' && doesCount(data, this.pool, oracleRules)) this.#takeSwap(data)
    if (type === 'LiquidityChanged' && data.liquidityDelta !== 0n) this.#takeChange(data)
    if (type === 'PositionTransferred') this.transfers.push(data)
  }

  #takePrice(sqrtPriceX96: bigint, atMs: number): PoolPrice {
    const price = { atMs, ...priceOf(sqrtPriceX96, this.pool) }
    this.#sqrtPrice = price.sqrtPrice
    this.#telling.priced(price)
    return price
  }

  #takeSwap({ ethWei, sqrtPriceX96, blockAtMs, blockNumber: block, txHash: tx }: Swap): void {
    const price = this.#takePrice(sqrtPriceX96, blockAtMs)
    this.#telling.swapped?.({ ...price, pool: this.pool.id, block, order: this.#order++, ethWei, tx })
  }

  #takeChange(change: LiquidityChanged): void {
    const sqrtPrice = this.#sqrtPrice ?? 0
    this.#open ??= { change, sqrtPrice, eth: this.ethAt(sqrtPrice), wasEmpty: isNothing(this.changes) }
    this.changes.push(change)
  }

  /** Returns the ETH in the pool at a price, after the changes up to `untilMs`. */
  ethAt(sqrtPrice: number, untilMs = Number.POSITIVE_INFINITY): number {
    const changes = this.changes.filter(({ blockAtMs }) => blockAtMs <= untilMs)
    const ranges = changes.map(({ tickLower: lower, tickUpper: upper, liquidityDelta: delta }) => {
      return { lower, upper, delta }
    })
    return sqrtPrice === 0 ? 0 : ethHeld(ranges, sqrtPrice, this.pool.ethIsToken0)
  }

  /**
   * Returns true if all liquidity that was ever added is gone. Before the first liquidity, the pool does not
   * count as emptied.
   */
  isEmptiedAt(atMs: number): boolean {
    const changes = this.changes.filter(({ blockAtMs }) => blockAtMs <= atMs)
    return changes.length > 0 && isNothing(changes)
  }

  /** Ends the current transaction. Must be called after each transaction. */
  settle(): void {
    const pull = this.pending()
    this.#open = null
    if (pull !== null) this.#telling.pulled(pull)
  }

  /**
   * Returns the result of the current transaction so far. Null: the transaction does not change liquidity, or
   * the pool had no liquidity before.
   */
  pending(): Pull | null {
    if (this.#open === null || this.#open.wasEmpty) return null
    const { change, eth, sqrtPrice } = this.#open
    const ratio = eth > 0 ? this.ethAt(sqrtPrice) / eth : 1
    return { atMs: change.blockAtMs, block: change.blockNumber, eth, ratio, isEmptied: isNothing(this.changes) }
  }
}

const isNothing = (changes: readonly LiquidityChanged[]): boolean =>
  changes.reduce((sum, { liquidityDelta }) => sum + liquidityDelta, 0n) === 0n

export type PoolStory = Pick<FollowedPool, 'pool' | 'changes' | 'transfers'> &
  Readonly<{ moves: readonly Move[]; pulls: readonly Pull[]; swaps: readonly OracleSwap[] }>

/** Follows a pool. `facts` are the facts of the pool's token, in order. */
export function storyOfPool(created: PoolCreated, facts: readonly ChainARecord[]): PoolStory {
  const [moves, pulls, swaps]: [Move[], Pull[], OracleSwap[]] = [[], [], []]
  let [px, left] = [Number.NaN, 1]
  const followed = new FollowedPool(created, {
    priced(price) {
      px = price.px
      moves.push({ atMs: price.atMs, px, left })
    },
    swapped: (swap) => void swaps.push(swap),
    pulled(pull) {
      pulls.push(pull)
      if (!(pull.eth > 0)) return
      left *= pull.ratio
      moves.push({ atMs: pull.atMs, px, left })
    },
  })
  for (const fact of facts) followed.take(fact)
  followed.settle()
  const { pool, changes, transfers } = followed
  return { pool, changes, transfers, moves, pulls, swaps }
}

/** Returns the bursts of a pool. By default, `senderOf` gives each transaction a different sender. */
export const burstsOfStory = (
  story: Pick<PoolStory, 'pool' | 'swaps'>,
  senderOf: (tx: string) => string | undefined = (tx) => tx,
  rules: OracleRules = oracleRules,
): readonly OracleBurst[] => burstsOfPool(story, senderOf, rules)
