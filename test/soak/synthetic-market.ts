/**
 * A market for load, not for looks: many pools, most trades on the young ones, one of them pumped each half minute so that
 * bursts fire. Several times cheaper to make than the simulator's, whose facts are checked and explained; same arithmetic
 * of facts, pools and ticks behind it. The same for the same seed.
 */
import type { FactRange, TokenFact } from '../../ingest/source.ts'
import type { PoolAddress } from '../../schemas/addresses.ts'

type Hex = `0x${string}`

export type SyntheticMarketOptions = Readonly<{
  seed: number
  /** Time of the first block, epoch ms. */
  startAtMs: number
  blockMs: number
  poolsPerDay: number
  swapsPerSecond: number
  /** Born in the first block. Default 1. */
  poolsAtStart?: number
}>

export type SyntheticMarket = Readonly<{
  /** The next `blockCount` blocks. */
  next(blockCount: number): FactRange
  /** Whoever sent a transaction, out of its hash. */
  senderOf(txHash: string): Hex
}>

type Pool = { pool: Hex; token: Hex; createdAtMs: number; sqrtPriceX96: bigint }

const dayMs = 86_400_000
const pumpMs = 30_000
/** One swap in so many is a buy of the pumped pool. */
const pumpShare = 0.05
const router: Hex = `0x${'5e'.repeat(20)}`
const priceBase = 2n ** 96n * 31_623n
const priceTick = 207_243
const walletCount = 5000

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')

export function createSyntheticMarket(options: SyntheticMarketOptions): SyntheticMarket {
  const { blockMs, swapsPerSecond, startAtMs } = options
  const random = createRandom(options.seed)
  const pools: Pool[] = []
  const poolsKept = Math.max(options.poolsAtStart ?? 1, options.poolsPerDay)
  let block = 0
  let poolsDue = options.poolsAtStart ?? 1
  let poolCount = 0
  let swapsDue = 0
  let swapCount = 0
  let pumped: Pool | null = null

  const createPool = (at: Position): readonly [PoolAddress, TokenFact[]] => {
    const token: Hex = `0x${hex(options.seed, 8)}${hex(++poolCount, 32)}`
    const pool: Hex = `0x${hex(options.seed, 8)}${hex(poolCount, 56)}`
    pools.push({ pool, token, createdAtMs: at.blockAtMs, sqrtPriceX96: priceBase })
    if (pools.length > poolsKept * 1.1) pools.splice(0, pools.length - poolsKept)
    const identity = { pool, token, dex: 'v4', ethIsCurrency0: true, hooks: null } as const
    const created = { ...identity, fee: 3000, tickSpacing: 60, sqrtPriceX96: priceBase, ...at }
    const range = { tickLower: -887_220, tickUpper: 887_220, liquidityDelta: 10n ** 21n, owner: router, salt: null }
    return [
      { ...identity, createdBlock: at.blockNumber, createdAtMs: at.blockAtMs },
      [
        { token, fact: { type: 'PoolCreated', data: created } },
        {
          token,
          fact: { type: 'LiquidityChanged', data: { pool, ...range, ...at, logIndex: at.logIndex + 1 } },
        },
      ],
    ]
  }

  const choosePool = (): Readonly<{ pool: Pool; isBuy: boolean }> => {
    if (pumped && random() < pumpShare) return { pool: pumped, isBuy: true }
    // The newest most often: half of all trades are on the youngest eighth.
    const age = Math.floor(Math.min(pools.length, poolsKept) * random() ** 3)
    return { pool: pools[pools.length - 1 - age] as Pool, isBuy: random() < 0.5 }
  }

  const trade = (at: Position): TokenFact => {
    const { pool, isBuy } = choosePool()
    const size = BigInt(1 + Math.floor(random() * 200)) * 10n ** 15n
    const step = pool.sqrtPriceX96 / 2000n
    pool.sqrtPriceX96 += isBuy ? -step : step
    const sign = isBuy ? 1n : -1n
    return {
      token: pool.token,
      fact: {
        type: 'Swap',
        data: {
          pool: pool.pool,
          ethWei: sign * size,
          tokenRaw: sign * size * 1_000_000_000n,
          sqrtPriceX96: pool.sqrtPriceX96,
          liquidity: 10n ** 21n,
          tick: priceTick,
          sender: router,
          ...at,
          txHash: `0x${hex(swapCount++, 64)}`,
        },
      },
    }
  }

  const tellBlock = (facts: TokenFact[], newPools: PoolAddress[]): void => {
    block += 1
    const blockAtMs = startAtMs + block * blockMs
    const blockHash: Hex = `0x${hex(options.seed, 8)}${hex(block, 56)}`
    let logIndex = 0
    const position = (): Position => {
      logIndex += 2
      return { blockNumber: block, blockAtMs, blockHash, txHash: blockHash, txIndex: logIndex, logIndex }
    }
    for (poolsDue += (options.poolsPerDay * blockMs) / dayMs; poolsDue >= 1; poolsDue--) {
      const [address, born] = createPool(position())
      newPools.push(address)
      facts.push(...born)
    }
    if (Math.floor(blockAtMs / pumpMs) !== Math.floor((blockAtMs - blockMs) / pumpMs))
      pumped = choosePumped(pools, blockAtMs, random())
    for (swapsDue += (swapsPerSecond * blockMs) / 1000; swapsDue >= 1; swapsDue--) facts.push(trade(position()))
  }

  return {
    next(blockCount) {
      const facts: TokenFact[] = []
      const newPools: PoolAddress[] = []
      const fromBlock = block + 1
      for (let told = 0; told < blockCount; told++) tellBlock(facts, newPools)
      const hash: Hex = `0x${hex(options.seed, 8)}${hex(block, 56)}`
      return { fromBlock, head: { number: block, hash, atMs: startAtMs + block * blockMs }, facts, newPools }
    },
    senderOf: (txHash) => `0x${hex(1 + (Number.parseInt(txHash.slice(-12), 16) % walletCount), 40)}`,
  }
}

type Position = Readonly<{
  blockNumber: number
  blockAtMs: number
  blockHash: Hex
  txHash: Hex
  txIndex: number
  logIndex: number
}>

/** Old enough for a main burst, where there is one. */
function choosePumped(pools: readonly Pool[], atMs: number, chance: number): Pool | null {
  const oldEnough = pools.filter(({ createdAtMs }) => atMs - createdAtMs > 360_000 && atMs - createdAtMs < 20_000_000)
  return oldEnough[Math.floor(chance * oldEnough.length)] ?? null
}

/** xorshift32, in `[0, 1)`. */
function createRandom(seed: number): () => number {
  let state = seed * 2_654_435_761 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
