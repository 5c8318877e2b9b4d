/**
 * Scripts about what happens to the liquidity after the burst signal. The creator pulls (removes) enough of
 * it, too little, or all of it in parts or too late. In some scripts, liquidity is put back.
 */
import { creatorOf, type LiquidityScene, type Nft, type Stage } from './liquidity-stage.ts'
import type { MarketPool } from './market-book.ts'
import { walletOf } from './node.ts'
import { liquidityOf } from './pools.ts'
import { positionBurn, positionMoved, positionTransfer, v3Poke, v3Removal } from './positions.ts'

type Held = Readonly<{ stage: Stage; pool: MarketPool; nft: Nft; trader: string }>

/** The creator adds liquidity of ten ETH, the burst follows, and then `follow` runs. */
const afterBurst = (name: string, follow: (held: Held) => void): LiquidityScene => [
  name,
  (stage) => {
    const pool = stage.open()
    const nft = stage.mint(pool, { wallet: creatorOf(name), eth: 10 })
    stage.burst(pool)
    follow({ stage, pool, nft, trader: `${name} on its way` })
  },
]

/** The creator removes 79 % of the liquidity, which is too little to count as a pull. */
const nearlyAll = afterBurst('79 % removed', ({ stage, pool, nft, trader }) => {
  stage.swap(pool, { atMs: stage.after(1), eth: 0.1, wallet: trader })
  stage.act(stage.after(4), stage.pull(pool, nft, 790))
  stage.swap(pool, { atMs: stage.after(5), eth: 0.05, wallet: trader })
})

/**
 * The removal comes in the second in which one exit rule sells: five minutes after the signal. Afterwards,
 * buys continue although little liquidity is left.
 */
const mostOfIt = afterBurst('85 % removed', ({ stage, pool, nft, trader }) => {
  stage.swap(pool, { atMs: stage.after(0, 50), eth: 0.2, wallet: trader })
  stage.act(stage.after(5), stage.pull(pool, nft, 850))
  for (const second of [0, 20, 40]) stage.swap(pool, { atMs: stage.after(5, 1 + second), eth: 0.3, wallet: trader })
})

/**
 * Five minutes after the burst, an exit rule sells. One second later, the creator removes all liquidity and
 * burns the NFT.
 * Then two swaps follow in the empty pool, at the limit of the price.
 */
const burned = afterBurst('burned with all', ({ stage, pool, nft, trader }) => {
  stage.act(stage.after(5, 1), positionBurn(stage.contracts, pool, nft))
  stage.swap(pool, { atMs: stage.after(5, 10), eth: 0.01, wallet: trader })
  stage.swap(pool, { atMs: stage.after(5, 20), eth: -0.01, wallet: trader })
})

/** The removal and a swap are in the same block, and the removal comes first. */
const exactlyEighty = afterBurst('exactly 80 % removed', ({ stage, pool, nft, trader }) => {
  stage.act(stage.after(2), stage.pull(pool, nft, 800))
  stage.swap(pool, { atMs: stage.after(2), eth: 0.5, wallet: trader })
})

/**
 * Half of the liquidity is removed, and then two thirds of the rest. Both removals are in the first minute,
 * before any exit rule sells.
 */
const inParts = afterBurst('removed in parts', ({ stage, pool, nft }) => {
  stage.act(stage.after(0, 20), stage.pull(pool, nft, 500))
  stage.act(stage.after(0, 45), stage.pull(pool, nft, 340))
})

/**
 * 70 % is removed. Then another wallet adds more than the remaining liquidity. At last the first position is
 * emptied.
 */
const putBack = afterBurst('put back', ({ stage, pool, nft }) => {
  const { contracts } = stage
  stage.act(stage.after(3), stage.pull(pool, nft, 700))
  stage.add(stage.after(5), pool, { wallet: 'rescuer', eth: 4 })
  stage.act(stage.after(9), stage.pull(pool, nft, 300))
  stage.act(stage.after(11), positionTransfer(contracts, nft, walletOf('collector')))
})

/** One transaction removes 95 % of the liquidity and adds 90 % again, so the liquidity is only moved. */
const moved = afterBurst('moved in one transaction', ({ stage, pool, nft }) => {
  const { liquidity } = nft
  const move = { ...nft, from: (liquidity * 95n) / 100n, to: (liquidity * 90n) / 100n }
  stage.act(stage.after(4), positionMoved(stage.contracts, pool, move))
})

/** The creator only collects fees, one time before the signal and one time after the signal. */
const poked = afterBurst('poked', ({ stage, pool, nft }) => {
  stage.act(stage.after(-1), stage.pull(pool, nft, 0))
  stage.act(stage.after(3), stage.pull(pool, nft, 0))
})

const gone = afterBurst('gone with the signal', ({ stage, pool, nft }) => {
  stage.act(stage.after(0), stage.pull(pool, nft, 1000))
})

const lastMoment = afterBurst('pulled at the last moment', ({ stage, pool, nft, trader }) => {
  stage.swap(pool, { atMs: stage.after(2), eth: 0.02, wallet: trader })
  stage.act(stage.after(30), stage.pull(pool, nft, 900))
})

const tooLate = afterBurst('pulled too late', ({ stage, pool, nft }) => {
  stage.act(stage.after(30, 1), stage.pull(pool, nft, 900))
})

/** A large sell halves the price before the pull, so the exit rule `stop` sells before the pull. */
const stoppedFirst = afterBurst('stopped before the pull', ({ stage, pool, nft, trader }) => {
  stage.swap(pool, { atMs: stage.after(0, 40), eth: -2.5, wallet: trader })
  stage.act(stage.after(6), stage.pull(pool, nft, 1000))
})

/** The creator of the far position removes nine tenths of all liquidity. That part holds no ETH. */
const farAwayPulled: LiquidityScene = [
  'pulled far away',
  (stage) => {
    const pool = stage.open()
    stage.mint(pool, { wallet: creatorOf('pulled far away'), eth: 6 })
    const nft = stage.mint(pool, { wallet: 'far away', eth: 54, rangeTicks: 600, offsetTicks: -30_000 })
    stage.burst(pool)
    stage.act(stage.after(7), stage.pull(pool, nft, 1000))
  },
]

/** Scripts a pool on v3. The v3 exchange numbers its NFTs separately, so `tokenId` is given. */
const onV3 = (name: string, tokenId: bigint, thousandths: bigint): LiquidityScene => [
  name,
  (stage) => {
    const pool = stage.open({ dex: 'v3', liquidityEth: 10 })
    const position = { owner: walletOf(creatorOf(name)), tokenId }
    stage.burst(pool)
    stage.act(stage.after(2), v3Poke(stage.contracts, position))
    const liquidity = (liquidityOf({ liquidityEth: 10 }) * thousandths) / 1000n
    stage.act(stage.after(6), v3Removal(stage.contracts, position, liquidity))
  },
]

export const pullScenes: readonly LiquidityScene[] = [
  nearlyAll,
  mostOfIt,
  burned,
  exactlyEighty,
  inParts,
  putBack,
  moved,
  poked,
  gone,
  lastMoment,
  tooLate,
  stoppedFirst,
  farAwayPulled,
  onV3('85 % removed on v3', 1n, 850n),
  onV3('79 % removed on v3', 2n, 790n),
]
