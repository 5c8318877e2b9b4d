/** The derived records of chain A. Topic `chain-a-derived`, keyed by token address. */
import { type AvroValue, arrayOf, type EventOf, enumOf, nullable, recordOf } from '../avro.ts'
import { callDerivedSchemas, precallDerivedSchemas } from '../calls/derived.ts'
import { type RecordOfCalls, rowOfCalls } from '../calls/rows.ts'
import { deskDerivedSchemas } from '../desk/derived.ts'
import { address, block, blockHash, epochMs, marketId, poolId, positionId, tokenRaw, txHash, wei } from '../flavors.ts'
import { tick } from '../tick.ts'
import { tradeGapFields } from '../trade-gap.ts'
import type { EpochMs } from '../units.ts'
import { dexes } from './facts.ts'

export const tiers = ['main', 'lite', 'refire', 'old'] as const
export type Tier = (typeof tiers)[number]

export const shapes = ['scripted', 'spread', 'other', 'v3'] as const
export type Shape = (typeof shapes)[number]

/**
 * Who can pull the liquidity of a pool. `held`: the creator, or a wallet that added liquidity. `safe`:
 * neither of these. `unknown`: not determined. `empty`: no liquidity (only in `PoolProfile`).
 */
export const lpClasses = ['held', 'safe', 'unknown', 'empty'] as const
export type LpClass = (typeof lpClasses)[number]

/**
 * The reasons why an exit rule sold, as Avro symbols. Answers use a hyphen where Avro uses `_`. `held`: the
 * measured time ended without an exit. `held_rug`: the rule `hold` ended with a rug (pulled liquidity).
 */
export const exitReasons = [
  'stop',
  'burst_stall',
  'burst_fade',
  'take_profit',
  'trail',
  'time',
  'held',
  'rug',
  'held_rug',
] as const
export type ExitReason = (typeof exitReasons)[number]

/** A stage begins to track a pool. `px` is in ETH per raw token unit, null until a v3 pool is initialised. */
const poolOpened = recordOf('PoolOpened', [
  { name: 'pool', type: poolId },
  { name: 'dex', type: enumOf('Dex', dexes) },
  { name: 'createdBlock', type: block },
  { name: 'createdAtMs', type: epochMs },
  { name: 'px', type: nullable('double') },
])

/** A stage stops tracking a pool, 25 h 30 min after its creation. No further records follow for the pool. */
const poolClosed = recordOf('PoolClosed', [
  { name: 'pool', type: poolId },
  { name: 'closedAtMs', type: epochMs },
])

/**
 * The sums over the swaps of one pool in the minute `[minuteAtMs, minuteAtMs + 60 s)`. Each version replaces
 * the previous version. `lastPx`, `lastSwapAtMs` and `liqEth` describe the pool's last swap, which may be in
 * an earlier minute. Before the first swap `lastPx` and `lastSwapAtMs` are null.
 */
const poolMinute = recordOf('PoolMinute', [
  { name: 'pool', type: poolId },
  { name: 'minuteAtMs', type: epochMs },
  { name: 'buyWei', type: wei },
  { name: 'sellWei', type: wei },
  { name: 'buys', type: 'int' },
  { name: 'sells', type: 'int' },
  { name: 'lastPx', type: nullable('double'), doc: 'ETH per raw token unit' },
  { name: 'lastSwapAtMs', type: nullable(epochMs) },
  { name: 'liqEth', type: 'double' },
])

const burstKey = [
  { name: 'pool', type: poolId },
  { name: 'tier', type: enumOf('Tier', tiers) },
  { name: 'atMs', type: epochMs },
] as const

/** A burst: sudden net buying, as known at the signal. `px` is in ETH per raw token unit. */
const burst = recordOf('Burst', [
  ...burstKey,
  { name: 'dex', type: enumOf('Dex', dexes) },
  { name: 'blockNumber', type: block },
  { name: 'blockHash', type: blockHash },
  { name: 'shape', type: enumOf('Shape', shapes) },
  { name: 'inflowWei', type: wei },
  { name: 'buys', type: 'int' },
  { name: 'sells', type: 'int' },
  { name: 'windowSec', type: 'int' },
  { name: 'poolCreatedAtMs', type: epochMs },
  { name: 'sameSizeMax', type: 'int' },
  { name: 'top3Share', type: 'double' },
  { name: 'sizeCv', type: 'double' },
  { name: 'px', type: 'double' },
])

/** Requests a lookup: who sent these transactions? They contain the buys in the burst's window. */
const sendersAsked = recordOf('SendersAsked', [
  { name: 'questionId', type: 'string', doc: 'pool:tier:atMs' },
  { name: 'revision', type: 'int', doc: 'a digest of txHashes: another set of transactions is another question' },
  ...burstKey,
  { name: 'txHashes', type: arrayOf(txHash) },
])

/** The distinct senders of the burst's buys, in order of their first buy. `wallets` is null if the lookup failed. */
const burstBuyers = recordOf('BurstBuyers', [...burstKey, { name: 'wallets', type: nullable(arrayOf(address)) }])

/** The shares of the pool's liquidity by kind of holder, 0-1. Their sum is 1, or 0 without liquidity. */
const lpShares = [
  { name: 'insiderShare', type: 'double', doc: 'the creator, or who sent an add' },
  { name: 'burnedShare', type: 'double', doc: 'the zero or the dead address' },
  { name: 'contractShare', type: 'double', doc: 'added by a contract that is not the position manager' },
  { name: 'otherShare', type: 'double' },
  { name: 'unknownShare', type: 'double', doc: 'the node named another owner than the log, or none could be read' },
  { name: 'firstAddAtMs', type: nullable(epochMs) },
  { name: 'lpAdds', type: 'int', doc: 'positive changes of liquidity so far' },
] as const

/** The owners of the liquidity at the end of the signal block. Only for v4 bursts of tiers main and lite. */
const burstLp = recordOf('BurstLp', [...burstKey, { name: 'class', type: enumOf('LpClass', lpClasses) }, ...lpShares])

/** Requests a lookup: who owned these position NFTs at the end of the block? Largest liquidity first. */
const ownersAsked = recordOf('OwnersAsked', [
  { name: 'questionId', type: 'string', doc: 'pool:tier:atMs' },
  { name: 'revision', type: 'int', doc: 'a digest of block hash and positions: another branch is another question' },
  ...burstKey,
  { name: 'blockNumber', type: block },
  { name: 'blockHash', type: blockHash },
  { name: 'positionIds', type: arrayOf(positionId) },
])

/**
 * Who can pull the liquidity of a v4 pool at the time `checkedAtMs`. Each version replaces the previous
 * version. `blockNumber` is the newest block with a fact of the token up to `checkedAtMs`. No owner changed
 * between this block and `checkedAtMs`.
 */
const poolProfile = recordOf('PoolProfile', [
  { name: 'pool', type: poolId },
  { name: 'createdAtMs', type: epochMs },
  { name: 'checkedAtMs', type: epochMs },
  { name: 'blockNumber', type: block },
  { name: 'creator', type: nullable(address) },
  { name: 'class', type: enumOf('LpClass', lpClasses) },
  ...lpShares,
])

/** The bonding curve of a token at the end of block `readBlock`. Each version replaces the previous version. */
const launchCurve = recordOf('LaunchCurve', [
  { name: 'curve', type: address },
  { name: 'launchpad', type: 'string' },
  { name: 'completed', type: 'boolean', doc: 'full: trading on the curve has ended' },
  { name: 'symbol', type: nullable('string') },
  { name: 'creator', type: nullable(address) },
  { name: 'launchBlock', type: nullable(block) },
  { name: 'launchAtMs', type: nullable(epochMs) },
  { name: 'gradBlock', type: nullable(block), doc: 'block of the graduation into a pool' },
  { name: 'graduationWei', type: wei },
  { name: 'reserveWei', type: wei },
  { name: 'phantomWei', type: wei },
  { name: 'supplyRaw', type: tokenRaw },
  { name: 'feeBps', type: nullable('int'), doc: 'median of fee and tax over the last 30 buys; null before any' },
  { name: 'readBlock', type: block },
  { name: 'readAtMs', type: epochMs },
])

/** A curve graduated, or had no fact for too long. No further records are derived from the curve. */
const curveClosed = recordOf('CurveClosed', [
  { name: 'curve', type: address },
  { name: 'closedAtMs', type: epochMs },
])

/** The outcome of a burst, 30 minutes after the signal. Returns are fractions with costs deducted. */
const burstOutcome = recordOf('BurstOutcome', [
  ...burstKey,
  { name: 'ret30m', type: 'double' },
  { name: 'peakRet', type: 'double' },
  { name: 'ruleRet', type: 'double' },
  {
    name: 'exits',
    type: arrayOf(
      recordOf('RuleExit', [
        {
          name: 'rule',
          type: 'string',
          doc: 'the plain name; answers show a keyed hash of it',
        },
        { name: 'ret', type: 'double' },
        { name: 'why', type: enumOf('ExitReason', exitReasons) },
        { name: 'sec', type: nullable('int') },
      ]),
    ),
  },
  {
    name: 'rug',
    type: nullable(
      recordOf('Rug', [
        { name: 'atSec', type: 'int' },
        { name: 'lpRemoved', type: 'double' },
      ]),
    ),
  },
])

/** Swaps of the pool are missing before this swap, because it does not begin at the last known price. */
const tradeGap = recordOf('TradeGap', [
  { name: 'pool', type: poolId },
  { name: 'atMs', type: epochMs },
  { name: 'txHash', type: txHash },
  { name: 'logIndex', type: 'int' },
  ...tradeGapFields,
])

/**
 * Identifies a row: records with the same row key are versions of one row. For a row about a curve, `pool` is
 * the curve. For a row about a token, `pool` is `0x`. `atMs` is the time of the burst, minute, creation or
 * closing.
 */
const rowKey = [
  { name: 'recordType', type: 'string' },
  { name: 'pool', type: marketId },
  { name: 'tier', type: nullable(enumOf('Tier', tiers)) },
  { name: 'atMs', type: epochMs },
  { name: 'name', type: 'string', default: '', doc: 'tells calls and trades of the desk apart; else empty' },
] as const

/** A reorg withdrew the row. Its versions stay in the log, and queries about earlier times show them. */
const withdrawn = recordOf('Withdrawn', [...rowKey])

/**
 * A reorg or a repair changed a row. The next record is the new version of the row with this key. If the row
 * had another time before, `supersedesAtMs` is that time. Otherwise `supersedesAtMs` is null.
 */
const restated = recordOf('Restated', [...rowKey, { name: 'supersedesAtMs', type: nullable(epochMs) }])

export const chainADerivedSchemas = {
  PoolOpened: poolOpened,
  PoolClosed: poolClosed,
  PoolMinute: poolMinute,
  Burst: burst,
  SendersAsked: sendersAsked,
  BurstBuyers: burstBuyers,
  OwnersAsked: ownersAsked,
  BurstLp: burstLp,
  PoolProfile: poolProfile,
  LaunchCurve: launchCurve,
  CurveClosed: curveClosed,
  BurstOutcome: burstOutcome,
  TradeGap: tradeGap,
  ...callDerivedSchemas,
  ...precallDerivedSchemas,
  ...deskDerivedSchemas,
  Withdrawn: withdrawn,
  Restated: restated,
  Tick: tick,
} as const

export type PoolOpened = AvroValue<typeof poolOpened>
export type PoolMinute = AvroValue<typeof poolMinute>
export type Burst = AvroValue<typeof burst>
export type SendersAsked = AvroValue<typeof sendersAsked>
export type BurstBuyers = AvroValue<typeof burstBuyers>
export type OwnersAsked = AvroValue<typeof ownersAsked>
export type BurstLp = AvroValue<typeof burstLp>
export type PoolProfile = AvroValue<typeof poolProfile>
export type LaunchCurve = AvroValue<typeof launchCurve>
export type BurstOutcome = AvroValue<typeof burstOutcome>
export type TradeGap = AvroValue<typeof tradeGap>

/** All records on the derived topic, including the ticks that are copied from the fact topic. */
export type ChainADerivedRecord = EventOf<typeof chainADerivedSchemas>
/** The records that a processor may emit. Only the runtime emits ticks and records about reorgs. */
export type ChainADerived = Exclude<ChainADerivedRecord, { type: 'Tick' | 'Withdrawn' | 'Restated' }>

export type Withdrawn = AvroValue<typeof withdrawn>
export type Restated = AvroValue<typeof restated>
export type RowKey = Withdrawn

export function rowKeyOf(record: ChainADerived): RowKey {
  const { type: recordType } = record
  const ofToken = rowOfCalls(record)
  if (ofToken) return { recordType, pool: '0x', tier: null, ...ofToken }
  const { data } = record as MarketRecord
  const tier = 'tier' in data ? data.tier : null
  const name = 'txHash' in data ? `${data.txHash} ${data.logIndex}` : ''
  return { recordType, pool: 'pool' in data ? data.pool : data.curve, tier, atMs: rowAtMs(data), name }
}

type MarketRecord = Exclude<ChainADerived, RecordOfCalls>

function rowAtMs(data: MarketRecord['data']): EpochMs {
  if ('atMs' in data) return data.atMs
  if ('minuteAtMs' in data) return data.minuteAtMs
  // If the launch time is unknown, 0 identifies the row. This is unique, because a token has only one curve.
  if ('launchAtMs' in data) return data.launchAtMs ?? 0
  return 'createdAtMs' in data ? data.createdAtMs : data.closedAtMs
}
