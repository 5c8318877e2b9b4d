import type { PoolAddress } from '../../../schemas/chain-a/addresses.ts'
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import type { ChainPlace } from '../../../schemas/chain-place.ts'
import type { Address } from '../../../schemas/units.ts'
import type { DecodedLog } from './decoded-log.ts'
import { logTopics } from './log-topics.ts'
import { addressOf, type RawLog, signedOf, unsignedOf, wordsOf, wordText } from './log-words.ts'

type PoolLog = Readonly<{ place: ChainPlace; pool: PoolAddress; positionManager: Address }>

/**
 * Decodes a log of a pool in the address book. The caller passes only logs whose topic 0 `decodeFact` knows.
 */
export function decodePoolLog(log: RawLog, poolLog: PoolLog): DecodedLog {
  const fact = decodeFact(log, poolLog)
  return fact
    ? { kind: 'fact', fact, token: poolLog.pool.token, address: null }
    : { kind: 'rejected', reason: `malformed log of ${poolLog.pool.dex} pool ${poolLog.pool.pool}` }
}

function decodeFact(log: RawLog, poolLog: PoolLog): ChainAFact | null {
  switch (log.topics[0]) {
    case logTopics.v4Swap:
      return swapOf(log, poolLog, { dataCount: 6, amountBits: 128, paidInSign: -1n })
    case logTopics.v3Swap:
      return swapOf(log, poolLog, { dataCount: 5, amountBits: 256, paidInSign: 1n })
    case logTopics.v4ModifyLiquidity:
      return v4Liquidity(log, poolLog)
    case logTopics.v3Mint:
      return v3Liquidity(log, poolLog, { dataCount: 4, amountIndex: 1, sign: 1n })
    case logTopics.v3Burn:
      return v3Liquidity(log, poolLog, { dataCount: 3, amountIndex: 0, sign: -1n })
    case logTopics.v3Initialize:
      return v3Initialized(log, poolLog)
    default:
      return null
  }
}

/**
 * The form in which a version of the exchange logs amounts. In facts, ETH paid in and tokens taken out are
 * both positive.
 * - v4 logs the change of the swapper's balance, so an amount paid into the pool is negative.
 * - v3 logs the change of the pool's balance, so an amount paid into the pool is positive.
 */
type SwapShape = Readonly<{ dataCount: number; amountBits: number; paidInSign: 1n | -1n }>

function swapOf(log: RawLog, { place, pool }: PoolLog, shape: SwapShape): ChainAFact | null {
  const words = wordsOf(log, { topicCount: 3, dataCount: shape.dataCount })
  if (!words) return null
  const [word0 = 0n, word1 = 0n, priceWord = 0n, liquidityWord = 0n, priceTickWord = 0n] = words.data
  const amount0 = signedOf(word0, shape.amountBits)
  const amount1 = signedOf(word1, shape.amountBits)
  const sqrtPriceX96 = unsignedOf(priceWord, 160)
  const liquidity = unsignedOf(liquidityWord, 128)
  const priceTick = signedOf(priceTickWord, 24)
  // The topics after the signature differ. On v4 they are the pool id and the sender. On v3 they are the
  // sender and the recipient.
  const sender = addressOf(words.topics[pool.dex === 'v4' ? 2 : 1] ?? 0n)
  if (amount0 === null || amount1 === null || sender === null) return null
  if (sqrtPriceX96 === null || liquidity === null || priceTick === null) return null
  const eth = pool.ethIsCurrency0 ? amount0 : amount1
  const token = pool.ethIsCurrency0 ? amount1 : amount0
  return {
    type: 'Swap',
    data: {
      pool: pool.pool,
      ethWei: eth * shape.paidInSign,
      tokenRaw: -token * shape.paidInSign,
      sqrtPriceX96,
      liquidity,
      tick: Number(priceTick),
      sender,
      ...place,
    },
  }
}

function v4Liquidity(log: RawLog, { place, pool, positionManager }: PoolLog): ChainAFact | null {
  const words = wordsOf(log, { topicCount: 3, dataCount: 4 })
  if (!words) return null
  const [lowerWord = 0n, upperWord = 0n, deltaWord = 0n, saltWord = 0n] = words.data
  const tickLower = signedOf(lowerWord, 24)
  const tickUpper = signedOf(upperWord, 24)
  const owner = addressOf(words.topics[2] ?? 0n)
  if (tickLower === null || tickUpper === null || owner === null) return null
  const salt = wordText(saltWord)
  return {
    type: 'LiquidityChanged',
    data: {
      pool: pool.pool,
      tickLower: Number(tickLower),
      tickUpper: Number(tickUpper),
      liquidityDelta: BigInt.asIntN(256, deltaWord),
      owner,
      salt,
      ...place,
      txSender: null,
      positionId: owner === positionManager ? salt : null,
    },
  }
}

type LiquidityShape = Readonly<{ dataCount: number; amountIndex: number; sign: 1n | -1n }>

function v3Liquidity(log: RawLog, { place, pool }: PoolLog, shape: LiquidityShape): ChainAFact | null {
  const words = wordsOf(log, { topicCount: 4, dataCount: shape.dataCount })
  if (!words) return null
  const owner = addressOf(words.topics[1] ?? 0n)
  const tickLower = signedOf(words.topics[2] ?? 0n, 24)
  const tickUpper = signedOf(words.topics[3] ?? 0n, 24)
  const amount = unsignedOf(words.data[shape.amountIndex] ?? 0n, 128)
  if (owner === null || tickLower === null || tickUpper === null || amount === null) return null
  return {
    type: 'LiquidityChanged',
    data: {
      pool: pool.pool,
      tickLower: Number(tickLower),
      tickUpper: Number(tickUpper),
      liquidityDelta: amount * shape.sign,
      owner,
      salt: null,
      ...place,
      txSender: null,
      positionId: null,
    },
  }
}

function v3Initialized(log: RawLog, { place, pool }: PoolLog): ChainAFact | null {
  const words = wordsOf(log, { topicCount: 1, dataCount: 2 })
  const sqrtPriceX96 = words && unsignedOf(words.data[0] ?? 0n, 160)
  if (sqrtPriceX96 === null) return null
  return { type: 'PoolInitialized', data: { pool: pool.pool, sqrtPriceX96, ...place } }
}
