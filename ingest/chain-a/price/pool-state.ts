/** Reads the price and the liquidity of pools from the exchange's contracts. */
import { encodeAbiParameters, keccak256, parseAbiParameters } from 'viem'
import { OperationError } from '../../../infra/errors.ts'
import type { Address, Hex, PoolId, SqrtPriceX96 } from '../../../schemas/units.ts'
import { addressOf, wordText } from '../decode/log-words.ts'
import type { ContractCall } from '../launchpads/launchpad.ts'

/** Function selectors: the first four bytes of the hash of each signature. */
export const poolSelectors = {
  'extsload(bytes32)': '0x1e2eaeaf',
  'poolKeys(bytes25)': '0x86b6be7d',
  'slot0()': '0x3850c7bd',
  'liquidity()': '0x1a686502',
} as const satisfies Record<string, Hex>

/** The state of a pool. `liquidity` counts only the positions whose price range includes the current price. */
export type PoolState = Readonly<{ sqrtPriceX96: SqrtPriceX96; priceTick: number; liquidity: bigint }>

/** The storage slot in which the v4 pool manager keeps its map of pools. */
const poolsSlot = 6n
/** The offset of the liquidity within the state of a pool, in storage slots. */
const liquidityOffset = 3n

const keyParameters = parseAbiParameters('address, address, uint24, int24, address')

/**
 * Reads the state of a v4 pool from the pool manager. Returns zeros if no such pool exists, and null if the
 * pool manager does not answer.
 */
export async function readV4State(call: ContractCall, poolManager: Address, pool: PoolId): Promise<PoolState | null> {
  const slot = BigInt(keccak256(`0x${pool.slice(2)}${wordText(poolsSlot).slice(2)}`))
  const read = async (at: bigint) =>
    wordsIn(await call(poolManager, `${poolSelectors['extsload(bytes32)']}${wordText(at).slice(2)}`), 1)
  const [first, liquidity] = await Promise.all([read(slot), read(slot + liquidityOffset)])
  if (first === null || liquidity === null) return null
  const [word = 0n] = first
  return {
    sqrtPriceX96: BigInt.asUintN(160, word),
    priceTick: Number(BigInt.asIntN(24, word >> 160n)),
    liquidity: BigInt.asUintN(128, liquidity[0] ?? 0n),
  }
}

/** Reads the state of a v3 pool. Returns null if the address is not a v3 pool. */
export async function readV3State(call: ContractCall, pool: Address): Promise<PoolState | null> {
  const [slot0, liquidity] = await Promise.all([
    call(pool, poolSelectors['slot0()']),
    call(pool, poolSelectors['liquidity()']),
  ])
  const [sqrtPriceX96, tick] = wordsIn(slot0, 7) ?? []
  const [inRange] = wordsIn(liquidity, 1) ?? []
  if (sqrtPriceX96 === undefined || tick === undefined || inRange === undefined) return null
  return { sqrtPriceX96, priceTick: Number(BigInt.asIntN(24, tick)), liquidity: inRange }
}

type Currencies = Readonly<{ currency0: Address; currency1: Address }>

/**
 * Reads the two currencies of a v4 pool. The position manager stores the key of every pool in which it has
 * minted a position. Returns null if it has no key for this pool.
 */
export async function readCurrencies(
  call: ContractCall,
  positionManager: Address,
  pool: PoolId,
): Promise<Currencies | null> {
  const poolKeyId = `${pool.slice(2, 52)}`.padEnd(64, '0')
  const words = wordsIn(await call(positionManager, `${poolSelectors['poolKeys(bytes25)']}${poolKeyId}`), 5)
  const [currency0, currency1, hooks] = [words?.[0], words?.[1], words?.[4]].map((word) => addressOf(word ?? 0n))
  if (!words || !currency0 || !currency1 || !hooks) return null
  const key = [currency0, currency1, Number(words[2]), Number(BigInt.asIntN(24, words[3] ?? 0n)), hooks] as const
  // The position manager finds a pool by the first 25 bytes of its id. So the hash of the key is compared with the whole id.
  return keccak256(encodeAbiParameters(keyParameters, key)) === pool ? { currency0, currency1 } : null
}

/**
 * Returns the first `count` 32-byte words of a contract's answer. Returns null if the call reverted or the
 * address has no contract. Fails with `node_refused` if the answer is too short.
 */
function wordsIn(answer: Hex | null, count: number): readonly bigint[] | null {
  if (answer === null) return null
  if (answer.length < 2 + 64 * count)
    throw new OperationError('node_refused', 'a contract answered with fewer bytes than expected')
  return Array.from({ length: count }, (_, index) => BigInt(`0x${answer.slice(2 + 64 * index, 66 + 64 * index)}`))
}
