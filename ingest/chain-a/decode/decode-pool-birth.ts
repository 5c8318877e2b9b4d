import type { Dex, PoolCreated } from '../../../schemas/chain-a/facts.ts'
import type { ChainPlace } from '../../../schemas/chain-place.ts'
import type { Address, Hex, PoolId, SqrtPriceX96 } from '../../../schemas/units.ts'
import type { DecodedLog } from './decoded-log.ts'
import { logTopics } from './log-topics.ts'
import { addressOf, type RawLog, signedOf, unsignedOf, wordsOf } from './log-words.ts'

const nativeEth: Address = `0x${'0'.repeat(40)}` as const

type Birth = Readonly<{
  dex: Dex
  pool: PoolId
  currency0: Address
  currency1: Address
  fee: number
  tickSpacing: number
  hooks: Address | null
  sqrtPriceX96: SqrtPriceX96 | null
}>

/**
 * Decodes a v4 Initialize or a v3 PoolCreated. The caller has checked the emitting contract. A pool is ignored unless exactly one of its
 * currencies is ETH or WETH.
 */
export function decodePoolBirth(
  log: RawLog,
  { place, weth }: Readonly<{ place: ChainPlace; weth: Address }>,
): DecodedLog {
  const birth = log.topics[0] === logTopics.v4Initialize ? v4Birth(log) : v3Birth(log)
  if (!birth) return { kind: 'rejected', reason: 'malformed creation of a pool' }
  const isEth = (currency: Address) => currency === weth || (birth.dex === 'v4' && currency === nativeEth)
  const ethIsCurrency0 = isEth(birth.currency0)
  if (ethIsCurrency0 === isEth(birth.currency1)) return { kind: 'ignored' }
  const token = ethIsCurrency0 ? birth.currency1 : birth.currency0
  const { dex, pool, fee, tickSpacing, hooks, sqrtPriceX96 } = birth
  const data: PoolCreated = {
    pool,
    token,
    dex,
    ethIsCurrency0,
    fee,
    tickSpacing,
    hooks,
    sqrtPriceX96,
    ...place,
    txSender: null,
  }
  return {
    kind: 'fact',
    fact: { type: 'PoolCreated', data },
    token,
    address: {
      type: 'PoolAddress',
      data: {
        pool,
        token,
        dex,
        ethIsCurrency0,
        hooks,
        createdBlock: place.blockNumber,
        createdAtMs: place.blockAtMs,
      },
    },
  }
}

function v4Birth(log: RawLog): Birth | null {
  const words = wordsOf(log, { topicCount: 4, dataCount: 5 })
  if (!words) return null
  const [feeWord = 0n, spacingWord = 0n, hooksWord = 0n, priceWord = 0n] = words.data
  const currency0 = addressOf(words.topics[2] ?? 0n)
  const currency1 = addressOf(words.topics[3] ?? 0n)
  const fee = unsignedOf(feeWord, 24)
  const tickSpacing = signedOf(spacingWord, 24)
  const hooks = addressOf(hooksWord)
  const sqrtPriceX96 = unsignedOf(priceWord, 160)
  if (currency0 === null || currency1 === null || hooks === null) return null
  if (fee === null || tickSpacing === null || sqrtPriceX96 === null) return null
  return {
    dex: 'v4',
    pool: (log.topics[1] as Hex).toLowerCase() as PoolId,
    currency0,
    currency1,
    fee: Number(fee),
    tickSpacing: Number(tickSpacing),
    hooks: hooks === nativeEth ? null : hooks,
    sqrtPriceX96,
  }
}

function v3Birth(log: RawLog): Birth | null {
  const words = wordsOf(log, { topicCount: 4, dataCount: 2 })
  if (!words) return null
  const currency0 = addressOf(words.topics[1] ?? 0n)
  const currency1 = addressOf(words.topics[2] ?? 0n)
  const fee = unsignedOf(words.topics[3] ?? 0n, 24)
  const tickSpacing = signedOf(words.data[0] ?? 0n, 24)
  // The id of a v3 pool is its address.
  const pool: Hex | null = addressOf(words.data[1] ?? 0n)
  if (currency0 === null || currency1 === null || pool === null) return null
  if (fee === null || tickSpacing === null) return null
  return {
    dex: 'v3',
    pool,
    currency0,
    currency1,
    fee: Number(fee),
    tickSpacing: Number(tickSpacing),
    hooks: null,
    sqrtPriceX96: null,
  }
}
