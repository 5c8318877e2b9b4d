/**
 * Scripts about traders and pools. They cover both exchanges, both orders of the currencies, hooks, empty
 * pools, untracked pools, and random trades.
 */

import type { Scene } from './market.ts'
import { buys, same } from './market-thresholds.ts'
import { walletOf } from './node.ts'
import { approval, liquidityOf, noAddress, planPool, tokenMint, v4Liquidity, v4Removal, weiOf } from './pools.ts'
import { trade, trader, v3BuysInOne, v3Rotation, v4TokenSale } from './trades.ts'

const regulars = (index: number) => `regular ${index % 5}`

/** Five wallets buy again and again, first in one pool and then in a second pool. */
const regularsOnce: Scene = (book, clock, random) => {
  for (const [name, minute] of [['regulars', 21] as const, ['regulars again', 27] as const]) {
    const pool = book.open({ name, atMs: clock(4) })
    const sizes = Array.from({ length: 15 }, () => Math.round((0.05 + random() * 0.15) * 1e6) / 1e6)
    buys(book, pool, { fromAtMs: clock(minute), everySec: 3, sizes, wallet: regulars })
    book.note({
      atMs: clock(minute, 20),
      transactions: [
        trade(book.contracts, pool, { wallet: walletOf('pauper'), quoteWei: -weiOf(0.01), mayFail: true }),
      ],
    })
  }
}

/** Three large buys make most of the inflow, so the burst has neither the shape `scripted` nor `spread`. */
const whales: Scene = (book, clock) => {
  const pool = book.open({ name: 'whales', atMs: clock(4), liquidityEth: 40 })
  const sizes = [2, 1.5, 1.2, 0.011, 0.012, 0.013, 0.014, 0.015, 0.016, 0.017, 0.018, 0.019, 0.02]
  buys(book, pool, { fromAtMs: clock(22), everySec: 4, sizes })
}

/** WETH is the second currency of the pool. Buys and sells are mixed. */
const ethLast: Scene = (book, clock, random) => {
  const pool = book.open({ name: 'weth last', atMs: clock(5), side: 'eth-last', liquidityEth: 15 })
  for (let index = 0; index < 24; index++) {
    const eth = index % 4 === 3 ? -0.02 - random() / 50 : 0.07 + random() / 10
    book.swap(pool, { atMs: clock(23, index * 2), eth, wallet: `weth last ${index % 8}` })
  }
}

const v3Burst =
  (side: 'eth-first' | 'eth-last', minute: number): Scene =>
  (book, clock, random) => {
    const pool = book.open({ name: `v3 ${side}`, atMs: clock(5), dex: 'v3', side })
    const sizes = Array.from({ length: 10 }, () => 0.06 + Math.round(random() * 1e5) / 1e6)
    buys(book, pool, { fromAtMs: clock(minute), everySec: 4, sizes })
    const quoteWei = [0.1, 0.15, 0.1].map(weiOf)
    const wallet = walletOf('three in one')
    book.note({ atMs: clock(minute, 41), transactions: [v3BuysInOne(book.contracts, pool, { wallet, quoteWei })] })
    book.swap(pool, { atMs: clock(minute, 50), eth: -0.12, wallet: `v3 ${side} 0` })
    book.swap(pool, { atMs: clock(minute + 2), eth: -1, wallet: `v3 ${side} 0` })
  }

/** One transaction sells in one pool and buys in another pool. */
const rotation: Scene = (book, clock) => {
  const [from, to] = ['rotation from', 'rotation to'].map((name) => book.open({ name, atMs: clock(6), dex: 'v3' }))
  if (from === undefined || to === undefined) return
  const wallet = walletOf('rotator')
  const equipment = trader(book.contracts, from, wallet)
  const tokenRaw = 10n ** 26n
  const sale = v3Rotation(book.contracts, { from, to }, { wallet, tokenRaw })
  book.note({ atMs: clock(28), transactions: [...equipment, sale, sale] })
}

/**
 * The hook takes its fee in addition to the swap's amounts. The sells give an amount of tokens, because the
 * hook cannot hold ETH.
 */
const feeHook: Scene = (book, clock) => {
  const pool = book.open({ name: 'fee hook', atMs: clock(6), hooks: book.contracts.feeHook })
  buys(book, pool, { fromAtMs: clock(29), everySec: 4, sizes: same(13, 0.105) })
  const wallet = walletOf('fee hook 2')
  const sale = v4TokenSale(book.contracts, pool, { wallet, tokenRaw: 10n ** 23n })
  book.note({
    atMs: clock(30),
    transactions: [approval(wallet, pool.token, book.contracts.v4Router), { ...sale, mayFail: true }],
  })
}

/** Eleven wallets buy. The hook of the pool also buys, but these buys do not count. */
const ownHook: Scene = (book, clock) => {
  const { tradingHook } = book.contracts
  const pool = book.open({ name: 'own hook', atMs: clock(6), hooks: tradingHook })
  buys(book, pool, { fromAtMs: clock(30), everySec: 4, sizes: same(11, 0.1) })
  for (let index = 0; index < 5; index++)
    book.swap(pool, { atMs: clock(30, 2 + index * 8), eth: 0.2, wallet: 'keeper', router: tradingHook })
}

/** The pool has no liquidity. The swap succeeds and moves no tokens, and then the price is at its limit. */
const empty: Scene = (book, clock) => {
  const pool = book.open({ name: 'empty', atMs: clock(7), liquidityEth: 0, tickSpacing: 200 })
  book.swap(pool, { atMs: clock(31), eth: 0.1, wallet: 'empty 0' })
}

/** One buy uses up the liquidity of the narrow range. The buy moves ETH, and then the price is at its limit. */
const thin: Scene = (book, clock) => {
  const pool = book.open({ name: 'thin', atMs: clock(7), liquidityEth: 2, rangeTicks: 1200, tickSpacing: 200 })
  book.swap(pool, { atMs: clock(431), eth: 0.01, wallet: 'thin 0' })
  book.swap(pool, { atMs: clock(432), eth: 90, wallet: 'thin 1' })
  book.swap(pool, { atMs: clock(433), eth: -0.02, wallet: 'thin 1' })
}

/** The pool of two tokens is not tracked. The pool of ETH against WETH is not tracked either. */
const notOurs: Scene = (book, clock) => {
  const { contracts } = book
  const first = book.open({ name: 'pair base', atMs: clock(7) })
  const pair = book.open({ name: 'pair', atMs: clock(8), quote: first.token, tokensPerQuoteTick: 0 })
  buys(book, pair, { fromAtMs: clock(33), everySec: 4, sizes: same(12, 0.1) })
  const provider = walletOf('wrapper')
  const wrapper = planPool(contracts, {
    ...{ dex: 'v4', token: contracts.weth, quote: noAddress, provider, liquidityEth: 10, tokensPerQuoteTick: 0 },
  })
  book.note({ atMs: clock(8), transactions: wrapper.transactions })
  const buy = (index: number) =>
    trade(contracts, wrapper.pool, { wallet: walletOf(`wrapper ${index}`), quoteWei: weiOf(0.1) })
  for (let index = 0; index < 12; index++) book.note({ atMs: clock(34, index * 4), transactions: [buy(index)] })
}

/** Liquidity is added between swaps, and one more time after the last swap. */
const liquidity: Scene = (book, clock) => {
  const pool = book.open({ name: 'liquidity', atMs: clock(8) })
  const options = { dex: 'v4', token: pool.token, quote: noAddress, provider: walletOf('adder') } as const
  const add = (liquidityEth: number, rangeTicks?: number) =>
    v4Liquidity(book.contracts, pool, { ...options, liquidityEth, ...(rangeTicks === undefined ? {} : { rangeTicks }) })
  book.swap(pool, { atMs: clock(430), eth: 0.2, wallet: 'liquidity 0' })
  book.note({ atMs: clock(431), transactions: add(3, 3000) })
  book.swap(pool, { atMs: clock(432), eth: 0.3, wallet: 'liquidity 1' })
  book.swap(pool, { atMs: clock(433), eth: -0.1, wallet: 'liquidity 1' })
  book.note({ atMs: clock(434), transactions: add(5) })
}

/** The first position NFT of the exchange loses half of its liquidity before the next swap. */
const removal: Scene = (book, clock) => {
  const pool = book.open({ name: 'removal', atMs: clock(-1) })
  const owner = walletOf('provider of removal')
  const half = { owner, tokenId: 1n, liquidity: liquidityOf({ liquidityEth: 10 }) / 2n }
  book.swap(pool, { atMs: clock(60), eth: 0.2, wallet: 'removal 0' })
  book.note({ atMs: clock(61), transactions: [v4Removal(book.contracts, pool, half)] })
  book.swap(pool, { atMs: clock(62), eth: 0.2, wallet: 'removal 0' })
  book.note({ atMs: clock(63), transactions: [tokenMint(owner, pool.token)] })
}

/** Random trades with bursts in several pools. The wallets trade in more than one pool. */
const noise: Scene = (book, clock, random) => {
  for (let index = 0; index < 6; index++) {
    const dex = index % 2 === 0 ? 'v4' : 'v3'
    const pool = book.open({ name: `noise ${index}`, atMs: clock(9), dex, liquidityEth: 5 + random() * 20 })
    let atMs = clock(65 + index * 5)
    let slot = 0
    for (let count = 0; count < 60; count++) {
      const waitMs = 1000 * Math.floor(random() * random() * 12)
      atMs += waitMs
      // A wallet needs tokens and approvals before it can sell, so the blocks with its trades must be in
      // order.
      slot = waitMs === 0 ? slot + (count % 2) : 0
      const eth = random() < 0.72 ? 0.02 + random() * 0.2 : -0.01 - random() * 0.15
      book.swap(pool, {
        atMs,
        slot,
        eth: Math.round(eth * 1e6) / 1e6,
        wallet: `crowd ${Math.floor(random() * 30)}`,
      })
    }
  }
}

export const traderScenes: readonly Scene[] = [
  removal,
  regularsOnce,
  whales,
  ethLast,
  v3Burst('eth-first', 24),
  v3Burst('eth-last', 25),
  rotation,
  feeHook,
  ownHook,
  empty,
  thin,
  notOurs,
  liquidity,
  noise,
]
