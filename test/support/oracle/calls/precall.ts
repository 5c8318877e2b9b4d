/** What happened before the first post of a call of chain A, from its markets and its buys. */
import type { ChainAFact } from '../../../../schemas/chain-a/facts.ts'
import { bornAtMs, deepestAt, firstPriceIn, hourMs, isFollowedAt, type Markets } from './lines.ts'
import type { CallRules } from './rules.ts'

export type Buy = Readonly<{
  market: string
  atMs: number
  block: number
  ethWei: bigint
  txHash: string
  trader: string | null
}>

/** A pool is forgotten 25 h 30 min after its creation: nobody sees what is bought there later. */
const poolLifeMs = 25.5 * hourMs

export function buysOf(facts: readonly ChainAFact[]): readonly Buy[] {
  const bornAtMs = new Map(
    facts.flatMap(({ type, data }) => (type === 'PoolCreated' ? [[data.pool, data.blockAtMs] as const] : [])),
  )
  return facts.flatMap(({ type, data }) => {
    if ((type !== 'Swap' && type !== 'CurveTraded') || data.ethWei <= 0n) return []
    if (type === 'Swap' && data.blockAtMs - (bornAtMs.get(data.pool) ?? 0) > poolLifeMs) return []
    const { blockAtMs: atMs, blockNumber: block, ethWei, txHash } = data
    const market = 'pool' in data ? data.pool : data.curve
    return [{ market, atMs, block, ethWei, txHash, trader: 'trader' in data ? data.trader : null }]
  })
}

/** The buys of a token, and the rules that they are counted by. */
type Bought = Readonly<{ markets: Markets; all: readonly Buy[]; rules: CallRules }>

/** Nobody sees what is bought on a market that was forgotten. */
const before = ({ markets, all, rules }: Bought, postedAtMs: number): readonly Buy[] =>
  all.filter(
    ({ market, atMs }) =>
      atMs > postedAtMs - rules.precallMs && atMs <= postedAtMs && isFollowedAt(markets, market, atMs),
  )

/** Null: the token had no price at the post. */
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

/** `change1h`: what a provider said within 15 s of the post. */
export function untrackedPrecall(postedAtMs: number, change1h: number | null, { runLeast }: CallRules) {
  const run60 = change1h === null ? null : 1 + change1h
  return {
    ...{ postedAtMs, isTracked: false, market: null, buys: 0, buyWei: 0n, sameBlockMaxTx: 0, run60 },
    ...{ ageAtCallMs: null, chg1h0: change1h === null ? null : change1h * 100 },
    flags: run60 !== null && run60 >= runLeast ? ['run'] : [],
  }
}

export function buyersOf(bought: Bought, postedAtMs: number, senderOf: (txHash: string) => string) {
  const { clusterWallets, walletListMax } = bought.rules
  const buys = before(bought, postedAtMs)
  const walletOf = ({ trader, txHash }: Buy) => trader ?? senderOf(txHash)
  const wallets = [...new Set(buys.map(walletOf))]
  const sameBlockWallets = mostPerBlock(buys, walletOf)
  return {
    ...{ wallets: wallets.length, sameBlockWallets, walletList: wallets.slice(0, walletListMax) },
    isCluster: sameBlockWallets >= clusterWallets,
  }
}

function mostPerBlock(buys: readonly Buy[], nameOf: (buy: Buy) => string): number {
  const blocks = new Set(buys.map(({ block }) => block))
  return Math.max(0, ...[...blocks].map((one) => new Set(buys.filter(({ block }) => block === one).map(nameOf)).size))
}
