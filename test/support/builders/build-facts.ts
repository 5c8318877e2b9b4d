/**
 * Builds facts (decoded chain events) for tests. A test gives the fields that matter, and the other fields
 * have plausible defaults. Two calls with the same fields differ only in the transaction.
 */
import type {
  ChainAAnswer,
  ChainAFact,
  LiquidityChanged,
  OwnersAnswered,
  PoolCreated,
  PoolInitialized,
  PositionTransferred,
  SendersAnswered,
  Swap,
} from '../../../schemas/chain-a/facts.ts'
import { rulesVersion } from '../../../schemas/chain-a/rules.ts'
import type { Tick } from '../../../schemas/tick.ts'
import type { Hex } from '../../../schemas/units.ts'

/** The beginning of test time: 2026-01-01T00:00:00Z. */
export const testStartAtMs = Date.UTC(2026, 0, 1)

/** Returns the time `seconds` after the beginning of test time. `seconds` can be a fraction. */
export const second = (seconds: number): number => testStartAtMs + Math.round(seconds * 1000)

/**
 * The test chain makes one block per second, so the time of a fact gives its block. For several blocks in one
 * second, a test gives `blockNumber`.
 */
const blockNumberAt = (atMs: number): number => 1000 + Math.floor((atMs - testStartAtMs) / 1000)

/** Builds a hash. `number` can be negative, for blocks before the first block of the test. */
export const buildHash = (number: number): Hex =>
  `0x${BigInt.asUintN(256, BigInt(number)).toString(16).padStart(64, '0')}`
export const buildAddress = (number: number): Hex => `0x${number.toString(16).padStart(40, '0')}`

export const testToken = buildAddress(0x70)
export const testPool = buildHash(0xb0)

let transactions = 0

type Place = Pick<Swap, 'blockNumber' | 'blockAtMs' | 'txIndex' | 'logIndex' | 'blockHash' | 'txHash'>

/** Returns the position of a fact on the chain. Each fact has its own transaction, unless `txHash` is given. */
export function chainPlaceOf(fields: Partial<Place>): Place {
  const blockAtMs = fields.blockAtMs ?? testStartAtMs
  const blockNumber = fields.blockNumber ?? blockNumberAt(blockAtMs)
  const transaction = transactions++
  return {
    blockAtMs,
    blockNumber,
    txIndex: 0,
    logIndex: transaction,
    blockHash: buildHash(blockNumber),
    txHash: buildHash(0xfee0_0000_0000 + transaction),
  }
}

export type Fact<Type extends ChainAFact['type']> = Extract<ChainAFact, { type: Type }>

/**
 * Builds a v4 pool at 1e-9 ETH per token, with ETH as currency 0 and without a hook. Both currencies have 18
 * decimals.
 */
export const buildPoolCreated = (fields: Partial<PoolCreated> = {}): Fact<'PoolCreated'> => ({
  type: 'PoolCreated',
  data: {
    pool: testPool,
    token: testToken,
    dex: 'v4',
    ethIsCurrency0: true,
    fee: 3000,
    tickSpacing: 60,
    hooks: null,
    sqrtPriceX96: sqrtPriceX96Of(1e-9),
    txSender: null,
    ...chainPlaceOf(fields),
    ...fields,
  },
})

export const buildPoolInitialized = (fields: Partial<PoolInitialized> = {}): Fact<'PoolInitialized'> => ({
  type: 'PoolInitialized',
  data: {
    pool: testPool,
    sqrtPriceX96: sqrtPriceX96Of(1e-9),
    ...chainPlaceOf(fields),
    ...fields,
  },
})

/**
 * A positive `eth` is the ETH paid in by a buy. The default is 0.1. A negative `eth` is the ETH taken out by
 * a sell. `px` is the price after the swap in ETH per raw unit, with ETH as currency 0.
 */
export type SwapFields = Partial<Swap> & Readonly<{ eth?: number; px?: number }>

export function buildSwap({ eth = 0.1, px = 1e-9, ...fields }: SwapFields = {}): Fact<'Swap'> {
  const ethWei = fields.ethWei ?? weiOf(eth)
  return {
    type: 'Swap',
    data: {
      pool: testPool,
      ethWei,
      tokenRaw: BigInt(Math.round(Number(ethWei) / px)),
      sqrtPriceX96: sqrtPriceX96Of(px),
      liquidity: 10n ** 21n,
      tick: Math.floor(-Math.log(px) / Math.log(1.0001)),
      sender: buildAddress(0x5e),
      ...chainPlaceOf(fields),
      ...fields,
    },
  }
}

export const buildLiquidityChanged = (fields: Partial<LiquidityChanged> = {}): Fact<'LiquidityChanged'> => ({
  type: 'LiquidityChanged',
  data: {
    pool: testPool,
    tickLower: -887220,
    tickUpper: 887220,
    liquidityDelta: 10n ** 21n,
    owner: buildAddress(0x0e),
    salt: null,
    txSender: null,
    positionId: null,
    ...chainPlaceOf(fields),
    ...fields,
  },
})

/**
 * Builds a transfer of a position. If `from` is the zero address, the transfer is a mint. If `to` is the zero
 * address, the transfer is a burn.
 */
export const buildPositionTransferred = (fields: Partial<PositionTransferred> = {}): Fact<'PositionTransferred'> => ({
  type: 'PositionTransferred',
  data: {
    pool: testPool,
    positionId: buildHash(1),
    from: buildAddress(0xc1),
    to: buildAddress(0xc2),
    ...chainPlaceOf(fields),
    ...fields,
  },
})

export const buildSendersAnswered = (fields: Partial<SendersAnswered> = {}): ChainAAnswer => ({
  type: 'SendersAnswered',
  data: {
    questionId: `${testPool}:main:${testStartAtMs}`,
    revision: 0,
    pool: testPool,
    senders: [],
    failure: null,
    answeredAtMs: fields.answeredAtMs ?? testStartAtMs,
    ...fields,
  },
})

export const buildOwnersAnswered = (fields: Partial<OwnersAnswered> = {}): ChainAAnswer => ({
  type: 'OwnersAnswered',
  data: {
    questionId: `${testPool}:main:${testStartAtMs}`,
    revision: 0,
    pool: testPool,
    owners: [],
    failure: null,
    answeredAtMs: fields.answeredAtMs ?? testStartAtMs,
    ...fields,
  },
})

/** `blockAtMs` determines `blockNumber` and `knownAtMs`, unless they are given. */
export function buildTick(fields: Partial<Tick> = {}): Tick {
  const blockAtMs = fields.blockAtMs ?? testStartAtMs
  const blockNumber = fields.blockNumber ?? blockNumberAt(blockAtMs)
  return {
    seq: 1,
    knownAtMs: blockAtMs,
    blockNumber,
    blockHash: buildHash(blockNumber),
    blockAtMs,
    ethUsd: 3000,
    ethUsdAtMs: blockAtMs,
    rulesVersion,
    revertedFrom: null,
    source: 'simulated',
    ...fields,
  }
}

/** Converts ETH to wei, exact for up to 9 decimals. A product of doubles would be a few wei off. */
export const weiOf = (eth: number): bigint => BigInt(Math.round(eth * 1e9)) * 10n ** 9n

/**
 * Converts a price in ETH per raw token unit to the square root price of a pool with ETH as currency 0. The
 * pool's price is in tokens per ETH, so the price is inverted.
 */
export const sqrtPriceX96Of = (px: number): bigint => BigInt(Math.round(Math.sqrt(1 / px) * 2 ** 48)) << 48n
