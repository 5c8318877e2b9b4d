/**
 * Scripts about the holders of a pool's liquidity at the time of the burst signal. The holders are creators,
 * other wallets that add liquidity, lockers, contracts, or nobody.
 */
import { bundled } from './bundler.ts'
import { creatorOf, type LiquidityScene, type Stage } from './liquidity-stage.ts'
import type { MarketPool } from './market-book.ts'
import { walletOf } from './node.ts'
import { weiOf } from './pools.ts'
import { directAdd, positionTransfer } from './positions.ts'
import { trade } from './trades.ts'

const dead = '0x000000000000000000000000000000000000dEaD'

/**
 * Returns the buyers of a burst. The first four wallets of each burst are the same, so the service recognizes
 * them as a crew (wallets that buy together).
 */
const crew = (name: string) => (index: number) => (index < 4 ? `crew ${index}` : `${name} ${index}`)

/** Mints a position to a wallet and transfers the position in the same second. */
function given(stage: Stage, pool: MarketPool, { by, eth, to }: Readonly<{ by: string; eth: number; to: string }>) {
  const nft = stage.mint(pool, { wallet: by, eth })
  stage.act(stage.openedAtMs, positionTransfer(stage.contracts, nft, to === dead ? dead : walletOf(to)))
}

const creatorHolds: LiquidityScene = [
  'creator holds',
  (stage) => {
    const pool = stage.open()
    stage.mint(pool, { wallet: creatorOf('creator holds'), eth: 10 })
    stage.burst(pool, crew('creator holds'))
  },
]

const sentToDead: LiquidityScene = [
  'sent to the dead address',
  (stage) => {
    const pool = stage.open()
    given(stage, pool, { by: creatorOf('sent to the dead address'), eth: 10, to: dead })
    stage.burst(pool, crew('sent to the dead address'))
  },
]

const addedByContract: LiquidityScene = [
  'added by a contract',
  (stage) => {
    const pool = stage.open()
    const from = walletOf('contract user')
    const salt = `0x${'00'.repeat(31)}07` as const
    const add = directAdd(pool, { from, router: stage.liquidityRouter, liquidity: 22n * 10n ** 22n, salt })
    stage.act(stage.openedAtMs, ...add)
    stage.burst(pool, crew('added by a contract'))
    const removal = directAdd(pool, { from, router: stage.liquidityRouter, liquidity: -19n * 10n ** 22n, salt })
    stage.act(stage.after(12), ...removal)
  },
]

/** The creator holds 40 % of the liquidity, 35 % is burned, and a locker holds 25 %. */
const split: LiquidityScene = [
  'split',
  (stage) => {
    const pool = stage.open()
    stage.mint(pool, { wallet: creatorOf('split'), eth: 4 })
    given(stage, pool, { by: 'adder of split', eth: 3.5, to: dead })
    given(stage, pool, { by: 'adder of split', eth: 2.5, to: 'locker' })
    stage.burst(pool, crew('split'))
  },
]

const exactlyHalf: LiquidityScene = [
  'exactly half',
  (stage) => {
    const pool = stage.open()
    stage.mint(pool, { wallet: creatorOf('exactly half'), eth: 5 })
    given(stage, pool, { by: creatorOf('exactly half'), eth: 5, to: 'locker' })
    stage.burst(pool)
  },
]

/** The creator adds no liquidity. */
const adderHolds: LiquidityScene = [
  'adder holds',
  (stage) => {
    const pool = stage.open()
    stage.mint(pool, { wallet: 'adder', eth: 10 })
    stage.burst(pool)
  },
]

/**
 * The locker adds a little liquidity before the signal. Therefore the locker counts as an insider with all of
 * its liquidity.
 */
const lockerAdds: LiquidityScene = [
  'the locker adds',
  (stage) => {
    const pool = stage.open()
    given(stage, pool, { by: creatorOf('the locker adds'), eth: 9, to: 'locker that adds' })
    stage.mint(pool, { wallet: 'locker that adds', eth: 1 })
    stage.burst(pool)
  },
]

/**
 * The creator first collects fees and then burns the position by a transfer to the dead address. Both happen
 * after the burst signal of tier lite and before the signal of tier main.
 */
const burnedBetween: LiquidityScene = [
  'burned between the signals',
  (stage) => {
    const pool = stage.open()
    const nft = stage.mint(pool, { wallet: creatorOf('burned between the signals'), eth: 10 })
    stage.act(stage.after(0, -14), stage.pull(pool, nft, 0))
    stage.act(stage.after(0, -10), positionTransfer(stage.contracts, nft, dead))
    stage.burst(pool)
  },
]

/**
 * The position is sold after the signal. Therefore the pool's liquidity class at the burst differs from the
 * class that its profile shows later.
 */
const soldLater: LiquidityScene = [
  'sold later',
  (stage) => {
    const pool = stage.open()
    const nft = stage.mint(pool, { wallet: creatorOf('sold later'), eth: 10 })
    stage.burst(pool)
    stage.act(stage.after(6), positionTransfer(stage.contracts, nft, walletOf('buyer of the position')))
  },
]

/**
 * The larger position is burned, but its range is far from the price and holds no ETH. All ETH is in the
 * creator's position.
 */
const farAway: LiquidityScene = [
  'far away',
  (stage) => {
    const pool = stage.open()
    stage.mint(pool, { wallet: creatorOf('far away'), eth: 4 })
    const range = { rangeTicks: 600, offsetTicks: -30_000 }
    const nft = stage.mint(pool, { wallet: 'adder far away', eth: 40, ...range })
    stage.act(stage.openedAtMs, positionTransfer(stage.contracts, nft, dead))
    stage.burst(pool)
  },
]

const wethLast: LiquidityScene = [
  'WETH as the second currency',
  (stage) => {
    const pool = stage.open({ side: 'eth-last' })
    stage.mint(pool, { wallet: creatorOf('WETH as the second currency'), eth: 10 })
    stage.burst(pool)
  },
]

const noLiquidity: LiquidityScene = [
  'no liquidity',
  (stage) => {
    const pool = stage.open({ tickSpacing: 200 })
    stage.swap(pool, { atMs: stage.after(0), eth: 0.1, wallet: 'hopeful' })
  },
]

/**
 * The pool of two tokens is untracked, so its NFT is also untracked. The pool of the first token is tracked.
 */
const untracked: LiquidityScene = [
  'an NFT of an untracked pool',
  (stage) => {
    const pool = stage.open()
    given(stage, pool, { by: creatorOf('an NFT of an untracked pool'), eth: 10, to: dead })
    const pair = stage.open({ name: 'a pair of tokens', quote: pool.token, tokensPerQuoteTick: 0 })
    const wallet = creatorOf('a pair of tokens')
    const nft = stage.mint(pair, { wallet, eth: 10 })
    stage.act(stage.after(0, -20), positionTransfer(stage.contracts, nft, walletOf('locker')))
    stage.burst(pool)
    for (let index = 0; index < 12; index++)
      stage.swap(pair, { atMs: stage.after(0, index - 11), eth: 0.1, wallet: `pair ${index}` })
  },
]

/** Twelve buyers in one block. */
const sameBlock: LiquidityScene = [
  'buyers of one block',
  (stage) => {
    const pool = stage.open()
    stage.mint(pool, { wallet: creatorOf('buyers of one block'), eth: 10 })
    for (let index = 0; index < 12; index++)
      stage.swap(pool, { atMs: stage.after(0), eth: 0.09 + index / 1000, wallet: `one block ${index}` })
  },
]

/** Twelve buys in four transactions of one sender. */
const bundledBuyers: LiquidityScene = [
  'bundled buyers',
  (stage) => {
    const pool = stage.open()
    stage.mint(pool, { wallet: creatorOf('bundled buyers'), eth: 10 })
    for (let round = 0; round < 4; round++) {
      const trades = [0.09, 0.1, 0.11].map((eth) =>
        trade(stage.contracts, pool, { wallet: stage.bundler, quoteWei: weiOf(eth) }),
      )
      stage.act(stage.after(0, 3 * (round - 3)), bundled(walletOf('bundler'), stage.bundler, trades))
    }
  },
]

/**
 * The creator holds the liquidity of one pool of the token, and a locker holds that of the other pool. The
 * token gets the liquidity class of its riskier pool.
 */
const twoPools: LiquidityScene = [
  'two pools of a token',
  (stage) => {
    const pool = stage.open()
    given(stage, pool, { by: creatorOf('two pools of a token'), eth: 10, to: 'locker' })
    const other = stage.open({ name: 'another pool of the token', tokenOf: pool, fee: 500, tickSpacing: 10 })
    stage.mint(other, { wallet: creatorOf('another pool of the token'), eth: 3 })
    stage.burst(pool)
  },
]

export const holderScenes: readonly LiquidityScene[] = [
  creatorHolds,
  sentToDead,
  addedByContract,
  split,
  exactlyHalf,
  adderHolds,
  lockerAdds,
  burnedBetween,
  soldLater,
  farAway,
  wethLast,
  noLiquidity,
  untracked,
  sameBlock,
  bundledBuyers,
  twoPools,
]
