/** Computes the trades of a chain A token before a post. The input is the token's markets and its buys. */
import type { ChainAFact } from '../../../../schemas/chain-a/facts.ts'
import { doesCount } from '../events.ts'
import { type FollowedPool, poolOf } from '../followed-pool.ts'
import { oracleRules } from '../oracle-rules.ts'
import { bornAtMs, deepestAt, firstPriceIn, isFollowedAt, type Markets } from './lines.ts'
import type { CallRules } from './rules.ts'

export type Buy = Readonly<{
  market: string
  atMs: number
  block: number
  ethWei: bigint
  txHash: string
  trader: string | null
}>

/** Collects the buys in the facts of a token. */
export class Buys {
  readonly all: Buy[] = []
  readonly #pools = new Map<string, FollowedPool['pool']>()

  take({ type, data }: ChainAFact): void {
    if (type === 'PoolCreated') this.#pools.set(data.pool, poolOf(data))
    if ((type !== 'Swap' && type !== 'CurveTraded') || data.ethWei <= 0n) return
    const pool = 'pool' in data ? this.#pools.get(data.pool) : undefined
    if ('pool' in data && (pool === undefined || !doesCount(data, pool, oracleRules))) return
    const { blockAtMs: atMs, blockNumber: block, ethWei, txHash } = data
    const market = 'pool' in data ? data.pool : data.curve
    this.all.push({ market, atMs, block, ethWei, txHash, trader: 'trader' in data ? data.trader : null })
  }
}

export function buysOf(facts: readonly ChainAFact[]): readonly Buy[] {
  const buys = new Buys()
  for (const fact of facts) buys.take(fact)
  return buys.all
}

/** The buys of a token, its markets, and the rules for counting the buys. */
type Bought = Readonly<{ markets: Markets; all: readonly Buy[]; rules: CallRules }>

/**
 * Returns the buys before a post. A buy in a market that the service did not follow at that time does not
 * count.
 */
const before = ({ markets, all, rules }: Bought, postedAtMs: number): readonly Buy[] =>
  all.filter(
    ({ market, atMs }) =>
      atMs > postedAtMs - rules.precallMs && atMs <= postedAtMs && isFollowedAt(markets, market, atMs),
  )

/** Describes the trades before a post. Returns null if the token had no price at the time of the post. */
export function precallOf(bought: Bought, postedAtMs: number) {
  const { markets, rules } = bought
  const at = deepestAt(markets, postedAtMs)
  if (at === null) return null
  const fromMs = postedAtMs - rules.runMs
  const sinceMs = deepestAt(markets, fromMs) ? fromMs : firstPriceIn(markets, fromMs, postedAtMs)
  const px = sinceMs === null ? null : (deepestAt(markets, sinceMs)?.px ?? null)
  const run60 = px === null ? null : at.px / px
  const buys = before(bought, postedAtMs)
  const bornMs = bornAtMs(markets, postedAtMs)
  const ageAtCallMs = bornMs === null ? null : postedAtMs - bornMs
  const isYoung = ageAtCallMs !== null && ageAtCallMs < rules.youngMs
  const flags = [...(run60 !== null && run60 >= rules.runLeast ? ['run'] : []), ...(isYoung ? ['young'] : [])]
  return {
    ...{ postedAtMs, isTracked: true, market: at.line.market, buys: buys.length },
    buyWei: buys.reduce((total, { ethWei }) => total + ethWei, 0n),
    sameBlockMaxTx: mostPerBlock(buys, ({ txHash }) => txHash),
    ...{ run60, ageAtCallMs, chg1h0: null, flags },
  }
}

/**
 * Describes the time before a post for an untracked token. `change1h` is the change that a price provider
 * reported within 15 s of the post.
 */
export function untrackedPrecall(postedAtMs: number, change1h: number | null, { runLeast }: CallRules) {
  const run60 = change1h === null ? null : 1 + change1h
  return {
    ...{ postedAtMs, isTracked: false, market: null, buys: 0, buyWei: 0n, sameBlockMaxTx: 0, run60 },
    ...{ ageAtCallMs: null, chg1h0: change1h === null ? null : change1h * 100 },
    flags: run60 !== null && run60 >= runLeast ? ['run'] : [],
  }
}

/**
 * Describes the wallets of the buys. If a fact does not name a trader, the sender of the transaction counts
 * as the wallet. Senders are used only for the newest transactions.
 */
export function buyersOf(bought: Bought, postedAtMs: number, senderOf: (txHash: string) => string | null) {
  const { clusterWallets, walletListMax, sendersAskedMax } = bought.rules
  const buys = before(bought, postedAtMs)
  const unnamed = new Set(buys.flatMap(({ trader, txHash }) => (trader === null ? [txHash] : [])))
  const asked = new Set([...unnamed].slice(-sendersAskedMax))
  const walletOf = ({ trader, txHash }: Buy) => trader ?? (asked.has(txHash) ? senderOf(txHash) : null)
  const wallets = [...new Set(buys.flatMap((buy) => walletOf(buy) ?? []))]
  const sameBlockWallets = mostPerBlock(buys, walletOf)
  return {
    ...{ wallets: wallets.length, sameBlockWallets, walletList: wallets.slice(0, walletListMax) },
    isCluster: sameBlockWallets >= clusterWallets,
  }
}

function mostPerBlock(buys: readonly Buy[], nameOf: (buy: Buy) => string | null): number {
  const names = new Map<number, Set<string>>()
  for (const buy of buys) {
    const name = nameOf(buy)
    if (name !== null) names.set(buy.block, (names.get(buy.block) ?? new Set()).add(name))
  }
  return Math.max(0, ...[...names.values()].map(({ size }) => size))
}
