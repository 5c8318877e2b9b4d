/** Facts of chain A, in the units of the chain. Topic `chain-a-facts`, keyed by token address. */
import { type AvroValue, arrayOf, type EventOf, enumOf, hex, integer, nullable, recordOf } from '../avro.ts'
import { type CallAnswer, callFactSchemas, isCallAnswer } from '../calls/facts.ts'
import { chainPlace } from '../chain-place.ts'
import { address, block, epochMs, poolId, positionId, sqrtPriceX96, tokenRaw, txHash, wei } from '../flavors.ts'
import { tick } from '../tick.ts'

/**
 * The sender of the transaction. If a bundler sent the calls of several users in one transaction, this is the
 * bundler. Null if ingest did not read the sender.
 */
const txSender = { name: 'txSender', type: nullable(address), default: null } as const

export const dexes = ['v4', 'v3'] as const
export type Dex = (typeof dexes)[number]

/**
 * A pool with ETH or WETH on one side was created. On v3, `sqrtPriceX96` is null, and a `PoolInitialized`
 * fact has the first price.
 */
export const poolCreated = recordOf('PoolCreated', [
  {
    name: 'pool',
    type: poolId,
    doc: 'v4 pool id (32 bytes) or v3 pool address (20 bytes)',
  },
  { name: 'token', type: address, doc: 'the side that is not ETH' },
  { name: 'dex', type: enumOf('Dex', dexes) },
  { name: 'ethIsCurrency0', type: 'boolean' },
  {
    name: 'fee',
    type: 'int',
    doc: 'hundredths of a basis point; 0x800000 marks a dynamic fee',
  },
  { name: 'tickSpacing', type: 'int' },
  {
    name: 'hooks',
    type: nullable(address),
    doc: 'hook contract of a v4 pool; null on v3 and where there is none',
  },
  { name: 'sqrtPriceX96', type: nullable(sqrtPriceX96) },
  ...chainPlace,
  txSender,
])

/** A v3 pool got its first price. */
const poolInitialized = recordOf('PoolInitialized', [
  { name: 'pool', type: poolId },
  { name: 'sqrtPriceX96', type: sqrtPriceX96 },
  ...chainPlace,
])

/**
 * A trade in a tracked pool. The signs are the same for v3 and v4 pools. In a buy, `ethWei` > 0 is the ETH
 * paid in, and `tokenRaw` > 0 is the tokens taken out. In a sell, both are negative. `sqrtPriceX96`,
 * `liquidity` and `tick` are the values after the swap.
 */
export const swap = recordOf('Swap', [
  { name: 'pool', type: poolId },
  { name: 'ethWei', type: wei },
  { name: 'tokenRaw', type: tokenRaw },
  { name: 'sqrtPriceX96', type: sqrtPriceX96 },
  { name: 'liquidity', type: integer },
  { name: 'tick', type: 'int' },
  {
    name: 'sender',
    type: address,
    doc: 'the contract that called the pool: a router, seldom the trader',
  },
  ...chainPlace,
])

/**
 * A change of the liquidity of a pool. `liquidityDelta` is > 0 for an add and < 0 for a removal. It is 0 if
 * only fees were collected.
 */
const liquidityChanged = recordOf('LiquidityChanged', [
  { name: 'pool', type: poolId },
  { name: 'tickLower', type: 'int' },
  { name: 'tickUpper', type: 'int' },
  { name: 'liquidityDelta', type: integer },
  {
    name: 'owner',
    type: address,
    doc: 'the address the pool credits: the position manager for position NFTs',
  },
  {
    name: 'salt',
    type: nullable(hex),
    doc: 'v4 only; the NFT number when the owner is the position manager',
  },
  ...chainPlace,
  { ...txSender, doc: 'of adds to v4 pools only' },
  {
    name: 'positionId',
    type: nullable(positionId),
    default: null,
    doc: 'number of the position NFT, 32 bytes; null on v3, and where the owner is not the position manager',
  },
])

/**
 * A position NFT of a tracked v4 pool has a new owner. `from` is the zero address if the NFT was minted. `to`
 * is the zero address if the NFT was burned.
 */
const positionTransferred = recordOf('PositionTransferred', [
  { name: 'pool', type: poolId },
  { name: 'positionId', type: positionId, doc: 'number of the NFT, 32 bytes' },
  { name: 'from', type: address },
  { name: 'to', type: address },
  ...chainPlace,
])

/**
 * A token was launched on a bonding curve. The price on the curve follows `x * y = k` with `x = phantomWei +
 * reserve`. A reserve of `graduationWei` completes the curve.
 */
const curveLaunched = recordOf('CurveLaunched', [
  { name: 'curve', type: address },
  { name: 'launchpad', type: 'string', doc: 'which adapter read it, such as pons-v2' },
  { name: 'creator', type: address },
  { name: 'symbol', type: nullable('string') },
  { name: 'graduationWei', type: wei },
  { name: 'phantomWei', type: wei },
  { name: 'supplyRaw', type: tokenRaw },
  ...chainPlace,
])

/**
 * A trade on a curve. In a buy, `ethWei` > 0 is the ETH paid, fees included, and `tokenRaw` > 0 is the tokens
 * bought. In a sell, both are negative, and `ethWei` is the ETH received, fees deducted. The reserve changes
 * by `ethWei - feeWei - taxWei`. `feeWei` and `taxWei` are >= 0.
 */
export const curveTraded = recordOf('CurveTraded', [
  { name: 'curve', type: address },
  { name: 'trader', type: address, doc: 'who got the tokens or the ETH' },
  { name: 'ethWei', type: wei },
  { name: 'tokenRaw', type: tokenRaw },
  { name: 'feeWei', type: wei, doc: 'of the launchpad' },
  { name: 'taxWei', type: wei, doc: 'of the creator' },
  ...chainPlace,
])

/** The curve is complete, so trading on the curve has ended. The pool does not exist yet. */
const curveCompleted = recordOf('CurveCompleted', [{ name: 'curve', type: address }, ...chainPlace])

/** The liquidity of a completed curve was moved into a pool. */
const curveGraduated = recordOf('CurveGraduated', [
  { name: 'curve', type: address },
  { name: 'positionId', type: nullable(positionId) },
  ...chainPlace,
])

/**
 * The state of a curve directly before this block, read from the node. The curve's facts of this block follow
 * in the log. Ingest writes this fact for a curve that was launched before the log began. While the curve
 * trades, ingest writes it again about one time per day. So a reader can begin at the oldest kept fact.
 *
 * In older logs the fact is the state at the end of the block. Then no other facts of the curve in that block
 * follow.
 */
const curveFound = recordOf('CurveFound', [
  { name: 'curve', type: address },
  { name: 'launchpad', type: 'string' },
  { name: 'creator', type: nullable(address) },
  { name: 'symbol', type: nullable('string') },
  { name: 'launchBlock', type: nullable(block) },
  { name: 'launchAtMs', type: nullable(epochMs) },
  { name: 'graduationWei', type: wei },
  { name: 'phantomWei', type: wei },
  { name: 'supplyRaw', type: tokenRaw },
  { name: 'reserveWei', type: wei },
  ...chainPlace,
])

/**
 * The answer to a `SendersAsked` request: the senders of the transactions that the request lists. Exactly one
 * of `senders` and `failure` is null.
 */
const sendersAnswered = recordOf('SendersAnswered', [
  { name: 'questionId', type: 'string' },
  { name: 'revision', type: 'int' },
  { name: 'pool', type: poolId },
  {
    name: 'senders',
    type: nullable(
      arrayOf(
        recordOf('TransactionSender', [
          { name: 'txHash', type: txHash },
          { name: 'sender', type: address },
        ]),
      ),
    ),
  },
  { name: 'failure', type: nullable('string') },
  { name: 'answeredAtMs', type: epochMs },
])

/**
 * The answer to an `OwnersAsked` request: the owners of the listed position NFTs at the end of the block in
 * the request. Exactly one of `owners` and `failure` is null.
 */
const ownersAnswered = recordOf('OwnersAnswered', [
  { name: 'questionId', type: 'string' },
  { name: 'revision', type: 'int' },
  { name: 'pool', type: poolId },
  {
    name: 'owners',
    type: nullable(
      arrayOf(
        recordOf('PositionOwner', [
          { name: 'positionId', type: positionId },
          { name: 'owner', type: nullable(address), doc: 'null: there was no such NFT then' },
        ]),
      ),
    ),
  },
  { name: 'failure', type: nullable('string') },
  { name: 'answeredAtMs', type: epochMs },
])

export const chainAFactSchemas = {
  PoolCreated: poolCreated,
  PoolInitialized: poolInitialized,
  Swap: swap,
  LiquidityChanged: liquidityChanged,
  PositionTransferred: positionTransferred,
  CurveLaunched: curveLaunched,
  CurveTraded: curveTraded,
  CurveCompleted: curveCompleted,
  CurveGraduated: curveGraduated,
  CurveFound: curveFound,
  SendersAnswered: sendersAnswered,
  OwnersAnswered: ownersAnswered,
  Tick: tick,
  ...callFactSchemas,
} as const

export type PoolCreated = AvroValue<typeof poolCreated>
export type PoolInitialized = AvroValue<typeof poolInitialized>
export type Swap = AvroValue<typeof swap>
export type LiquidityChanged = AvroValue<typeof liquidityChanged>
export type PositionTransferred = AvroValue<typeof positionTransferred>
export type CurveLaunched = AvroValue<typeof curveLaunched>
export type CurveTraded = AvroValue<typeof curveTraded>
export type CurveCompleted = AvroValue<typeof curveCompleted>
export type CurveGraduated = AvroValue<typeof curveGraduated>
export type CurveFound = AvroValue<typeof curveFound>
export type SendersAnswered = AvroValue<typeof sendersAnswered>
export type OwnersAnswered = AvroValue<typeof ownersAnswered>

export type ChainARecord = EventOf<typeof chainAFactSchemas>
/** A fact of a block. */
export type ChainAFact = Exclude<ChainARecord, { type: 'Tick' } | ChainAAnswer>
/** A fact about one pool. */
export type PoolFact = Extract<ChainAFact, { data: { pool: string } }>
/**
 * The facts that do not belong to a block. These are the answers to requests for lookups, and facts from
 * chats.
 */
export type ChainAAnswer = Extract<ChainARecord, { type: 'SendersAnswered' | 'OwnersAnswered' }> | CallAnswer

export const isAnswer = <R extends Readonly<{ type: string }>>(
  record: R,
): record is Extract<R, { type: ChainAAnswer['type'] }> =>
  record.type === 'SendersAnswered' || record.type === 'OwnersAnswered' || isCallAnswer(record)
