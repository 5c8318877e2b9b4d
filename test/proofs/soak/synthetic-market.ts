/**
 * Simulated trades for load tests, with many pools. New pools get most of the trades. Every 30 s one pool is
 * pumped (bought fast), so that bursts occur. This generator is several times cheaper than the simulator, but
 * makes facts, pools and ticks in the same way. The same seed gives the same trades.
 */

import type { ChainARange, TokenFact } from '../../../ingest/chain-a/types.ts'
import { createRandom } from '../../../ingest/simulated/random.ts'
import type { ChainAAddress } from '../../../schemas/chain-a/addresses.ts'
import type { Hex } from '../../../schemas/units.ts'
import { type BlockPosition, createSyntheticCurves, type Told } from './synthetic-curves.ts'

export type SyntheticMarketOptions = Readonly<{
  seed: number
  /** The time of the first block. */
  startAtMs: number
  blockMs: number
  poolsPerDay: number
  swapsPerSecond: number
  /** The pools created at the start. Default: 1. */
  poolsAtStart?: number
  /** The number of blocks over which the pools at the start are created. Default: 1. */
  startBlocks?: number
  /** Default: no curves. */
  curves?: Readonly<{ curvesPerDay: number; tradesPerSecond: number }>
}>

export type SyntheticMarket = Readonly<{
  next(blockCount: number): ChainARange
  /** The sender of a transaction, computed from its hash. */
  senderOf(txHash: string): Hex
  /** The owner of a position NFT. */
  ownerOf(positionId: string): Hex
  /**
   * Returns the tokens of the `count` newest curves launched at or before `atMs`. The newest token comes
   * last.
   */
  youngestCurvesAt(atMs: number, count: number): readonly Hex[]
}>

type Pool = { number: number; pool: Hex; token: Hex; createdAtMs: number; sqrtPriceX96: bigint; isPulled: boolean }

const dayMs = 86_400_000
const pumpMs = 30_000
/** The share of swaps that are buys of the pumped pool. */
const pumpShare = 0.05
/** The share of pumped pools whose liquidity is removed. */
const pullShare = 0.3
/** Of every three pools, one has its position NFT burned. */
const burnEvery = 3
const zero: Hex = `0x${'00'.repeat(20)}`
const dead: Hex = `0x${'00'.repeat(18)}dead`
const manager: Hex = `0x${'58'.repeat(20)}`
const router: Hex = `0x${'5e'.repeat(20)}`
const priceBase = 2n ** 96n * 31_623n
const priceTick = 207_243
const walletCount = 5000
/** With this liquidity, a swap moves the price by 1/1000 for about 0.1 ETH, the mean of the drawn amounts. */
const liquidity = 636n * 10n ** 22n
const sizeCount = 200
type Amounts = Readonly<{ ethWei: bigint; tokenRaw: bigint }>
const amounts = (sign: bigint): readonly Amounts[] =>
  Array.from({ length: sizeCount }, (_, index) => {
    const ethWei = sign * BigInt(1 + index) * 10n ** 15n
    return { ethWei, tokenRaw: ethWei * 1_000_000_000n }
  })
/** The amounts are computed in advance, because big integer arithmetic dominates the cost of a swap. */
const [buys, sells] = [amounts(1n), amounts(-1n)]

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')

export function createSyntheticMarket(options: SyntheticMarketOptions): SyntheticMarket {
  const { blockMs, swapsPerSecond, startAtMs, poolsAtStart = 1, startBlocks = 1 } = options
  const random = createRandom(options.seed).unit
  const pools: Pool[] = []
  const poolsKept = Math.max(poolsAtStart, options.poolsPerDay)
  let block = 0
  let poolsDue = 0
  let poolCount = 0
  let swapsDue = 0
  let swapCount = 0
  let pumped: Pool | null = null

  const createPool = (at: BlockPosition, itsToken?: Hex): Told => {
    const token: Hex = itsToken ?? `0x${hex(options.seed, 8)}${hex(poolCount + 1, 32)}`
    const pool: Hex = `0x${hex(options.seed, 8)}${hex(++poolCount, 56)}`
    pools.push({ number: poolCount, pool, token, createdAtMs: at.blockAtMs, sqrtPriceX96: priceBase, isPulled: false })
    if (pools.length > poolsKept * 1.1) pools.splice(0, pools.length - poolsKept)
    const identity = { pool, token, dex: 'v4', ethIsCurrency0: true, hooks: null } as const
    const created = {
      ...identity,
      fee: 3000,
      tickSpacing: 60,
      sqrtPriceX96: priceBase,
      ...at,
      txSender: creatorOf(poolCount),
    }
    return {
      addresses: [
        { type: 'PoolAddress', data: { ...identity, createdBlock: at.blockNumber, createdAtMs: at.blockAtMs } },
        { type: 'PositionAddress', data: { positionId: positionIdOf(poolCount), pool } },
      ],
      facts: [
        { key: token, fact: { type: 'PoolCreated', data: created } },
        transfer({ pool, token, number: poolCount }, { ...at, logIndex: at.logIndex + 1 }, [
          zero,
          creatorOf(poolCount),
        ]),
        change({ pool, token, number: poolCount }, { ...at, logIndex: at.logIndex + 2 }, liquidity),
        ...(poolCount % burnEvery === 0
          ? [
              transfer({ pool, token, number: poolCount }, { ...at, logIndex: at.logIndex + 3 }, [
                creatorOf(poolCount),
                dead,
              ]),
            ]
          : []),
      ],
    }
  }

  const curves = createSyntheticCurves({
    ...{ seed: options.seed, blockMs, curvesPerDay: 0, tradesPerSecond: 0, ...options.curves },
    createPool: (token, at) => createPool(at, token),
  })

  const choosePool = (): Readonly<{ pool: Pool; isBuy: boolean }> => {
    if (pumped && random() < pumpShare) return { pool: pumped, isBuy: true }
    // New pools are chosen most often: the newest eighth of the pools gets half of these trades.
    const age = Math.floor(Math.min(pools.length, poolsKept) * random() ** 3)
    return { pool: pools[pools.length - 1 - age] as Pool, isBuy: random() < 0.5 }
  }

  /**
   * Removes the liquidity of the pumped pool, unless its position is burned. Only a share of the pools is
   * pulled.
   */
  const pull = (at: BlockPosition): readonly TokenFact[] => {
    if (!pumped || pumped.isPulled || pumped.number % burnEvery === 0 || random() > pullShare) return []
    pumped.isPulled = true
    return [change(pumped, at, -liquidity)]
  }

  const trade = (at: BlockPosition): TokenFact => {
    const { pool, isBuy } = choosePool()
    const drawn = (isBuy ? buys : sells)[Math.floor(random() * sizeCount)] as Amounts
    const before = pool.sqrtPriceX96
    const step = before / 2000n
    pool.sqrtPriceX96 += isBuy ? -step : step
    // The amount that leaves the pool is computed from the change of the price. With another amount, the stage
    // would report missing swaps before each swap.
    const { ethWei, tokenRaw } = isBuy
      ? { ...drawn, tokenRaw: (liquidity * step) >> 96n }
      : { ...drawn, ethWei: -((liquidity * step) << 96n) / (before * pool.sqrtPriceX96) }
    const { blockNumber, blockAtMs, blockHash, txIndex, logIndex } = at
    return {
      key: pool.token,
      fact: {
        type: 'Swap',
        data: {
          pool: pool.pool,
          ethWei,
          tokenRaw,
          sqrtPriceX96: pool.sqrtPriceX96,
          liquidity,
          tick: priceTick,
          sender: router,
          blockNumber,
          blockAtMs,
          blockHash,
          txHash: `0x${hex(swapCount++, 64)}` as const,
          txIndex,
          logIndex,
        },
      },
    }
  }

  const tellBlock = (facts: TokenFact[], newAddresses: ChainAAddress[]): void => {
    const take = (told: Told) => {
      newAddresses.push(...told.addresses)
      facts.push(...told.facts)
    }
    block += 1
    const blockAtMs = startAtMs + block * blockMs
    const blockHash: Hex = `0x${hex(options.seed, 8)}${hex(block, 56)}`
    let logIndex = 0
    const position = (): BlockPosition => {
      logIndex += 4
      return { blockNumber: block, blockAtMs, blockHash, txHash: blockHash, txIndex: logIndex, logIndex }
    }
    if (block <= startBlocks) poolsDue += poolsAtStart / startBlocks
    for (poolsDue += (options.poolsPerDay * blockMs) / dayMs; poolsDue >= 1; poolsDue--) take(createPool(position()))
    for (const told of curves.tellBlock(position)) take(told)
    if (Math.floor(blockAtMs / pumpMs) !== Math.floor((blockAtMs - blockMs) / pumpMs)) {
      facts.push(...pull(position()))
      pumped = choosePumped(pools, blockAtMs, random())
    }
    for (swapsDue += (swapsPerSecond * blockMs) / 1000; swapsDue >= 1 && pools.length > 0; swapsDue--)
      facts.push(trade(position()))
  }

  return {
    next(blockCount) {
      const facts: TokenFact[] = []
      const newAddresses: ChainAAddress[] = []
      const fromBlock = block + 1
      for (let told = 0; told < blockCount; told++) tellBlock(facts, newAddresses)
      const hash: Hex = `0x${hex(options.seed, 8)}${hex(block, 56)}`
      return { fromBlock, head: { number: block, hash, atMs: startAtMs + block * blockMs }, facts, newAddresses }
    },
    youngestCurvesAt: curves.youngestAt,
    ownerOf: (positionId) => ownerOf(Number(BigInt(positionId))),
    senderOf: (txHash) => `0x${hex(1 + (Number.parseInt(txHash.slice(-12), 16) % walletCount), 40)}`,
  }
}

const positionIdOf = (number: number): Hex => `0x${hex(number, 64)}`
const creatorOf = (number: number): Hex => `0x${hex(1 + (number % walletCount), 40)}`
const ownerOf = (number: number): Hex => (number % burnEvery === 0 ? dead : creatorOf(number))

type Minted = Pick<Pool, 'number' | 'pool' | 'token'>

const transfer = ({ number, pool, token }: Minted, at: BlockPosition, [from, to]: readonly [Hex, Hex]): TokenFact => ({
  key: token,
  fact: { type: 'PositionTransferred', data: { pool, positionId: positionIdOf(number), from, to, ...at } },
})

const change = ({ number, pool, token }: Minted, at: BlockPosition, liquidityDelta: bigint): TokenFact => ({
  key: token,
  fact: {
    type: 'LiquidityChanged',
    data: {
      ...{ pool, tickLower: -887_220, tickUpper: 887_220, liquidityDelta, owner: manager, ...at },
      ...{ salt: positionIdOf(number), positionId: positionIdOf(number) },
      txSender: liquidityDelta > 0n ? creatorOf(number) : null,
    },
  },
})

/** Chooses a pool that is old enough for a main burst. Returns null if there is no such pool. */
function choosePumped(pools: readonly Pool[], atMs: number, chance: number): Pool | null {
  const oldEnough = pools.filter(({ createdAtMs }) => atMs - createdAtMs > 360_000 && atMs - createdAtMs < 20_000_000)
  return oldEnough[Math.floor(chance * oldEnough.length)] ?? null
}
