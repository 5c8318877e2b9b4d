/** What becomes of the liquidity after the signal: pulled enough, nearly enough, in parts, too late, put back. */
import { creatorOf, type LiquidityScene, type Nft, type Stage } from './liquidity-stage.ts'
import type { MarketPool } from './market-book.ts'
import { walletOf } from './node.ts'
import { liquidityOf } from './pools.ts'
import { positionBurn, positionMoved, positionTransfer, v3Poke, v3Removal } from './positions.ts'

type Held = Readonly<{ stage: Stage; pool: MarketPool; nft: Nft; trader: string }>

/** The creator's ten ETH, a burst, and what follows. */
const afterBurst = (name: string, follow: (held: Held) => void): LiquidityScene => [
  name,
  (stage) => {
    const pool = stage.open()
    const nft = stage.mint(pool, { wallet: creatorOf(name), eth: 10 })
    stage.burst(pool)
    follow({ stage, pool, nft, trader: `${name} on its way` })
  },
]

/** 79 % in the window, and the rest just behind it. */
const nearlyAll = afterBurst('79 % removed', ({ stage, pool, nft, trader }) => {
  stage.swap(pool, { atMs: stage.after(1), eth: 0.1, wallet: trader })
  stage.act(stage.after(4), stage.pull(pool, nft, 790))
  stage.swap(pool, { atMs: stage.after(5), eth: 0.05, wallet: trader })
})

/** When the exit after five minutes is due and has not run out; buys go on for less than nothing. */
const mostOfIt = afterBurst('85 % removed', ({ stage, pool, nft, trader }) => {
  stage.swap(pool, { atMs: stage.after(0, 50), eth: 0.2, wallet: trader })
  stage.act(stage.after(5), stage.pull(pool, nft, 850))
  for (const second of [0, 20, 40]) stage.swap(pool, { atMs: stage.after(5, 1 + second), eth: 0.3, wallet: trader })
})

/** One second behind that exit. The NFT goes with it; swaps into nothing, at the limit of the price, follow. */
const burned = afterBurst('burned with all', ({ stage, pool, nft, trader }) => {
  stage.act(stage.after(5, 1), positionBurn(stage.contracts, pool, nft))
  stage.swap(pool, { atMs: stage.after(5, 10), eth: 0.01, wallet: trader })
  stage.swap(pool, { atMs: stage.after(5, 20), eth: -0.01, wallet: trader })
})

/** The removal and a swap share the block, the swap behind it. */
const exactlyEighty = afterBurst('exactly 80 % removed', ({ stage, pool, nft, trader }) => {
  stage.act(stage.after(2), stage.pull(pool, nft, 800))
  stage.swap(pool, { atMs: stage.after(2), eth: 0.5, wallet: trader })
})

/** Half, and two thirds of the rest, within the minute that every rule is still in. */
const inParts = afterBurst('removed in parts', ({ stage, pool, nft }) => {
  stage.act(stage.after(0, 20), stage.pull(pool, nft, 500))
  stage.act(stage.after(0, 45), stage.pull(pool, nft, 340))
})

/** 70 %, more than as much again by another, then all of what was left of the first. */
const putBack = afterBurst('put back', ({ stage, pool, nft }) => {
  const { contracts } = stage
  stage.act(stage.after(3), stage.pull(pool, nft, 700))
  stage.add(stage.after(5), pool, { wallet: 'rescuer', eth: 4 })
  stage.act(stage.after(9), stage.pull(pool, nft, 300))
  stage.act(stage.after(11), positionTransfer(contracts, nft, walletOf('collector')))
})

/** 95 % out and 90 % in again, in one transaction: the liquidity only moved. */
const moved = afterBurst('moved in one transaction', ({ stage, pool, nft }) => {
  const { liquidity } = nft
  const move = { ...nft, from: (liquidity * 95n) / 100n, to: (liquidity * 90n) / 100n }
  stage.act(stage.after(4), positionMoved(stage.contracts, pool, move))
})

/** Only fees are collected, before the signal and after it. */
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

/** Sold off by half before the pull: the stop comes first. */
const stoppedFirst = afterBurst('stopped before the pull', ({ stage, pool, nft, trader }) => {
  stage.swap(pool, { atMs: stage.after(0, 40), eth: -2.5, wallet: trader })
  stage.act(stage.after(6), stage.pull(pool, nft, 1000))
})

/** Nine tenths of the liquidity go, none of it ETH. */
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

/** NFTs of the older exchange are numbered by themselves. */
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
