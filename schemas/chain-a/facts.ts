/** Chain A facts: what the outside world said, in its own units. Topic `chain-a-facts`, keyed by token address. */
import { type AvroValue, arrayOf, type EventOf, enumOf, hex, integer, nullable, recordOf } from '../avro.ts'

/**
 * Where a log stands on the chain; with `blockHash` and `logIndex` it is the identity of the fact.
 * `blockAtMs` is the block's own time: epoch ms, whole seconds on most chains, so several blocks can share it.
 */
const position = [
  { name: 'blockNumber', type: 'long' },
  { name: 'blockAtMs', type: 'long' },
  { name: 'txIndex', type: 'int' },
  { name: 'logIndex', type: 'int' },
  { name: 'blockHash', type: hex },
  { name: 'txHash', type: hex },
] as const

export const dexes = ['v4', 'v3'] as const
export type Dex = (typeof dexes)[number]

/** A pool with ETH or WETH on one side came into being. `sqrtPriceX96` is null on v3, whose price comes with PoolInitialized. */
export const poolCreated = recordOf('PoolCreated', [
  {
    name: 'pool',
    type: hex,
    doc: 'v4 pool id (32 bytes) or v3 pool address (20 bytes)',
  },
  { name: 'token', type: hex, doc: 'the side that is not ETH' },
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
    type: nullable(hex),
    doc: 'hook contract of a v4 pool; null on v3 and where there is none',
  },
  { name: 'sqrtPriceX96', type: nullable(integer) },
  ...position,
])

/** A v3 pool got its first price. */
const poolInitialized = recordOf('PoolInitialized', [
  { name: 'pool', type: hex },
  { name: 'sqrtPriceX96', type: integer },
  ...position,
])

/**
 * A trade in a tracked pool, with one sign on both versions of the exchange:
 * `ethWei` > 0 is ETH paid in for tokens (a buy), < 0 ETH taken out (a sell); `tokenRaw` > 0 is tokens taken out of the pool.
 * Price, liquidity and tick are those after the swap.
 */
export const swap = recordOf('Swap', [
  { name: 'pool', type: hex },
  { name: 'ethWei', type: integer },
  { name: 'tokenRaw', type: integer },
  { name: 'sqrtPriceX96', type: integer },
  { name: 'liquidity', type: integer },
  { name: 'tick', type: 'int' },
  {
    name: 'sender',
    type: hex,
    doc: 'the contract that called the pool: a router, seldom the trader',
  },
  ...position,
])

/** Liquidity was added (> 0), removed (< 0) or only poked for its fees (0). */
const liquidityChanged = recordOf('LiquidityChanged', [
  { name: 'pool', type: hex },
  { name: 'tickLower', type: 'int' },
  { name: 'tickUpper', type: 'int' },
  { name: 'liquidityDelta', type: integer },
  {
    name: 'owner',
    type: hex,
    doc: 'the address the pool credits: the position manager for position NFTs',
  },
  {
    name: 'salt',
    type: nullable(hex),
    doc: 'v4 only; the NFT number when the owner is the position manager',
  },
  ...position,
])

/** Who sent the transactions that a burst's SendersAsked named. Exactly one of `senders` and `failure` is null. */
const sendersAnswered = recordOf('SendersAnswered', [
  { name: 'questionId', type: 'string' },
  { name: 'revision', type: 'int' },
  { name: 'pool', type: hex },
  {
    name: 'senders',
    type: nullable(
      arrayOf(
        recordOf('TransactionSender', [
          { name: 'txHash', type: hex },
          { name: 'sender', type: hex },
        ]),
      ),
    ),
  },
  { name: 'failure', type: nullable('string') },
  { name: 'answeredAtMs', type: 'long' },
])

/**
 * Closes what stands before it, in every partition: the chain is complete up to this block, and we knew it at `knownAtMs`.
 * The only unit of processing, committing and freshness. `seq` rises by one; `knownAtMs` never falls.
 * `revertedFrom`, when set, kills the facts of blocks from that number on that stand before the append this tick belongs to.
 */
export const tick = recordOf('Tick', [
  { name: 'seq', type: 'long' },
  { name: 'knownAtMs', type: 'long' },
  { name: 'blockNumber', type: 'long' },
  { name: 'blockHash', type: hex },
  { name: 'blockAtMs', type: 'long' },
  { name: 'ethUsd', type: nullable('double') },
  { name: 'ethUsdAtMs', type: nullable('long') },
  { name: 'rulesVersion', type: 'string' },
  { name: 'revertedFrom', type: nullable('long') },
  {
    name: 'source',
    type: enumOf('SourceKind', ['chain', 'simulated', 'recorded']),
  },
])

export const chainAFactSchemas = {
  PoolCreated: poolCreated,
  PoolInitialized: poolInitialized,
  Swap: swap,
  LiquidityChanged: liquidityChanged,
  SendersAnswered: sendersAnswered,
  Tick: tick,
} as const

export type PoolCreated = AvroValue<typeof poolCreated>
export type PoolInitialized = AvroValue<typeof poolInitialized>
export type Swap = AvroValue<typeof swap>
export type LiquidityChanged = AvroValue<typeof liquidityChanged>
export type SendersAnswered = AvroValue<typeof sendersAnswered>
export type Tick = AvroValue<typeof tick>

export type ChainARecord = EventOf<typeof chainAFactSchemas>
/** Something that happened on the chain, in a block. */
export type ChainAFact = Exclude<ChainARecord, { type: 'Tick' | 'SendersAnswered' }>
/** The answer to a question that a derived record asked. */
export type ChainAAnswer = Extract<ChainARecord, { type: 'SendersAnswered' }>
