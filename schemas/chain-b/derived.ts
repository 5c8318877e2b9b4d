/** Derived records of chain B. Topic `chain-b-derived`, keyed by the mint in base58. */
import { type AvroValue, arrayOf, type EventOf, enumOf, nullable, recordOf } from '../avro.ts'
import { callDerivedSchemas } from '../calls/derived.ts'
import { type RecordOfCalls, rowOfCalls } from '../calls/rows.ts'
import { deskDerivedSchemas } from '../desk/derived.ts'
import { address, block, blockHash, epochMs, lamports, txHash } from '../flavors.ts'
import { tick } from '../tick.ts'
import { tradeGapFields } from '../trade-gap.ts'
import type { EpochMs } from '../units.ts'
import { mintSchemas } from './mints.ts'
import { safetySchemas } from './safety.ts'

/** Why an exit rule sold, as Avro symbols (`burst-fade` in answers). `held`: the time ended without an exit. */
export const exitReasons = [
  'stop',
  'burst_fade',
  'burst_stall',
  'take_profit',
  'trail',
  'time',
  'graduated',
  'held',
] as const
export type ExitReason = (typeof exitReasons)[number]

/** The reasons why the simulated copy of a big buy was sold. `rules.ts` gives their order. */
export const copyExits = ['stop', 'trail', 'take_profit', 'time'] as const
export type CopyExit = (typeof copyExits)[number]

const burstKey = [{ name: 'atMs', type: epochMs, doc: 'the signal: block time of the signal slot' }] as const

/** A burst: sudden net buying on a curve. Every field is known at the signal. */
const burst = recordOf('Burst', [
  ...burstKey,
  { name: 'slot', type: block },
  { name: 'slotHash', type: blockHash },
  { name: 'inflowLamports', type: lamports, doc: 'buys minus sells in the window, fees left out' },
  { name: 'windowSec', type: 'int' },
  { name: 'fillFrom', type: 'double', doc: 'share of the tokens for sale that were sold when the window began, 0-1' },
  { name: 'fillAt', type: 'double', doc: 'the same at the signal' },
  { name: 'launchAtMs', type: epochMs },
  { name: 'virtualSol', type: 'double', doc: 'virtual reserve at the signal; the price is proportional to its square' },
])

/** Requests a lookup: who holds the mint at the signal? */
const holdersAsked = recordOf('HoldersAsked', [
  { name: 'questionId', type: 'string', doc: 'mint:atMs' },
  { name: 'revision', type: 'int', doc: 'a digest of the hash of the slot: another branch is another question' },
  ...burstKey,
  { name: 'slot', type: block },
  { name: 'slotHash', type: blockHash },
])

/**
 * The buyers in the burst's window and the pattern of their buys. `holdersTop10` and `holderTop1` are the
 * supply shares of the ten largest holders and of the largest. The curve, its pool and burn addresses do not
 * count. Both shares are null if the lookup failed.
 */
const burstAnatomy = recordOf('BurstAnatomy', [
  ...burstKey,
  { name: 'buys', type: 'int' },
  { name: 'wallets', type: arrayOf(address), doc: 'the distinct buyers, in order of their first buy' },
  { name: 'sameSlotMax', type: 'int', doc: 'most buys in one slot' },
  { name: 'bundledShare', type: 'double', doc: 'share of the SOL spent in slots with two buys or more, 0-1' },
  { name: 'sameSizeMax', type: 'int', doc: 'most buys of one size' },
  { name: 'top3Share', type: 'double', doc: 'share of the three largest buys, 0-1' },
  { name: 'holdersTop10', type: nullable('double') },
  { name: 'holderTop1', type: nullable('double') },
])

/** The outcome of a burst: when the curve is complete, or after 20 minutes. Returns have costs deducted. */
const burstOutcome = recordOf('BurstOutcome', [
  ...burstKey,
  { name: 'completedAtMs', type: nullable(epochMs), doc: 'null: not within the window' },
  { name: 'peakRet', type: 'double' },
  { name: 'gradRet', type: nullable('double') },
  { name: 'ret20m', type: nullable('double') },
  { name: 'ruleRet', type: 'double' },
  { name: 'isNonStandardCurve', type: 'boolean' },
  {
    name: 'exits',
    type: arrayOf(
      recordOf('RuleExit', [
        { name: 'rule', type: 'string', doc: 'the plain name; answers show a keyed hash of it' },
        { name: 'ret', type: 'double' },
        { name: 'why', type: enumOf('ExitReason', exitReasons) },
        { name: 'sec', type: nullable('int') },
      ]),
    ),
  },
])

const graduationKey = [{ name: 'gradAtMs', type: epochMs, doc: 'block time at which the curve was complete' }] as const

/** A curve is complete. This record is published at the end of the slot of the completion. */
const graduation = recordOf('Graduation', [
  ...graduationKey,
  { name: 'slot', type: block },
  { name: 'launchAtMs', type: nullable(epochMs) },
  {
    name: 'path',
    type: arrayOf(
      recordOf('PathPoint', [
        { name: 'beforeSec', type: 'int', doc: 'whole seconds before the graduation' },
        { name: 'fill', type: 'double', doc: 'the curve’s fill at that instant, 0-1' },
      ]),
    ),
    doc: 'oldest first: at whole minutes before the graduation, at most 60, and at the graduation',
  },
  {
    name: 'burst',
    type: nullable(
      recordOf('PrecedingBurst', [
        { name: 'atMs', type: epochMs },
        { name: 'inflowLamports', type: lamports },
        { name: 'fillAt', type: 'double' },
      ]),
    ),
    doc: 'the last burst of the mint before it graduated',
  },
])

/**
 * The returns in the first 15 minutes of the pool, without costs, relative to the opening price. One version
 * is published at the opening, and one after 1, 5 and 15 minutes. A return is null until its time has passed.
 */
const graduationPost = recordOf('GraduationPost', [
  ...graduationKey,
  { name: 'anchorAtMs', type: epochMs, doc: 'block time at which the pool opened' },
  { name: 'ret1', type: nullable('double') },
  { name: 'ret5', type: nullable('double') },
  { name: 'ret15', type: nullable('double') },
])

/** Identifies a buy that can be copied. `txHash` and `logIndex` distinguish buys of the same time. */
const copyKey = [
  { name: 'atMs', type: epochMs, doc: 'block time of the buy' },
  { name: 'txHash', type: txHash },
  { name: 'logIndex', type: 'int' },
] as const

/** A followed buy: a wallet bought on a curve or in its pool. The rules follow this buy for one hour. */
const copyOpened = recordOf('CopyOpened', [
  ...copyKey,
  { name: 'slot', type: block },
  { name: 'wallet', type: address },
  { name: 'lamports', type: lamports, doc: 'what it spent, fees left out' },
  { name: 'fillAt', type: 'double', doc: 'the curve’s fill right after the buy, 0-1; 1 in the pool' },
  { name: 'launchAtMs', type: nullable(epochMs) },
  { name: 'px', type: 'double', doc: 'SOL per token right after the buy' },
])

/**
 * The result of a followed buy, published one hour after the buy. Prices are relative to the `px` of the buy.
 * The fields about the simulated copy are null if the copy was not filled. `ret`, `exit` and `exitSec` are
 * also null if the buy is not big.
 */
const copyClosed = recordOf('CopyClosed', [
  ...copyKey,
  { name: 'wallet', type: address, doc: 'that of its CopyOpened' },
  { name: 'isHit', type: 'boolean', doc: 'the price was at least +35 % before it was at most -20 %' },
  { name: 'path', type: arrayOf('double'), doc: 'price / px - 1 at the marks of the rules' },
  {
    name: 'leaderSale',
    type: nullable(
      recordOf('LeaderSale', [
        { name: 'afterSec', type: 'int', doc: 'whole seconds after the buy' },
        { name: 'share', type: 'double', doc: 'of what the wallet held of its followed buys, 0-1' },
        { name: 'gain', type: 'double', doc: 'what a token brought / what it cost, with all fees, - 1' },
      ]),
    ),
    doc: 'the first sale of the wallet after the buy, within the hour',
  },
  { name: 'quoteDrift', type: nullable('double'), doc: 'price before the fill of the copy / px - 1' },
  { name: 'fillSlip', type: nullable('double'), doc: 'what the copy paid per token / what the wallet paid - 1' },
  { name: 'ret', type: nullable('double'), doc: 'all fees deducted, not capped' },
  { name: 'exit', type: nullable(enumOf('CopyExit', copyExits)) },
  { name: 'exitSec', type: nullable('int'), doc: 'whole seconds from the buy to the exit' },
])

/**
 * Trades of the curve are missing. A second version follows if the gap is given up or read late. `txHash` and
 * `logIndex` identify the trade or migration after the gap. If there is none, they identify the curve's last
 * fact before the gap, and `atMs` is the time when the trades were read or given up.
 */
const tradeGap = recordOf('TradeGap', [
  { name: 'atMs', type: epochMs },
  { name: 'txHash', type: txHash },
  { name: 'logIndex', type: 'int' },
  ...tradeGapFields,
])

/**
 * Identifies a row: records with the same row key are versions of one row. `txHash` and `logIndex` are null
 * except in rows of copied buys and gaps.
 */
const rowKey = [
  { name: 'recordType', type: 'string' },
  { name: 'atMs', type: epochMs },
  { name: 'txHash', type: nullable(txHash) },
  { name: 'logIndex', type: nullable('int') },
  {
    name: 'name',
    type: 'string',
    default: '',
    doc: 'tells calls and trades of the desk apart; else empty',
  },
] as const

/** A reorg withdrew the row. Its versions stay in the log, and queries about earlier times show them. */
const withdrawn = recordOf('Withdrawn', [...rowKey])

/**
 * A reorg or a repair changed a row. The next record is the new version of the row with this key.
 * `supersedesAtMs` is the former time of the row, or null if the time did not change.
 */
const restated = recordOf('Restated', [...rowKey, { name: 'supersedesAtMs', type: nullable(epochMs) }])

export const chainBDerivedSchemas = {
  ...mintSchemas,
  Burst: burst,
  HoldersAsked: holdersAsked,
  BurstAnatomy: burstAnatomy,
  BurstOutcome: burstOutcome,
  Graduation: graduation,
  GraduationPost: graduationPost,
  CopyOpened: copyOpened,
  CopyClosed: copyClosed,
  TradeGap: tradeGap,
  ...safetySchemas,
  ...callDerivedSchemas,
  ...deskDerivedSchemas,
  Withdrawn: withdrawn,
  Restated: restated,
  Tick: tick,
} as const

export type Burst = AvroValue<typeof burst>
export type HoldersAsked = AvroValue<typeof holdersAsked>
export type BurstAnatomy = AvroValue<typeof burstAnatomy>
export type BurstOutcome = AvroValue<typeof burstOutcome>
export type Graduation = AvroValue<typeof graduation>
export type GraduationPost = AvroValue<typeof graduationPost>
export type CopyOpened = AvroValue<typeof copyOpened>
export type CopyClosed = AvroValue<typeof copyClosed>
export type TradeGap = AvroValue<typeof tradeGap>

/** All records on the derived topic, including the ticks that are copied from the fact topic. */
export type ChainBDerivedRecord = EventOf<typeof chainBDerivedSchemas>
/** The records that a processor may emit. Only the runtime emits ticks and records about reorgs. */
export type ChainBDerived = Exclude<ChainBDerivedRecord, { type: 'Tick' | 'Withdrawn' | 'Restated' }>

export type RowKey = AvroValue<typeof withdrawn>

export function rowKeyOf(record: ChainBDerived): RowKey {
  const { type: recordType } = record
  const ofToken = rowOfCalls(record)
  if (ofToken) return { recordType, txHash: null, logIndex: null, ...ofToken }
  const { data } = record as Exclude<ChainBDerived, RecordOfCalls>
  if ('txHash' in data) return { recordType, atMs: data.atMs, txHash: data.txHash, logIndex: data.logIndex, name: '' }
  // Two rug checks of a mint can be requested for the same time, but then for different reasons.
  const name = 'reason' in data ? data.reason : ''
  return { recordType, atMs: rowAtMs(data), txHash: null, logIndex: null, name }
}

function rowAtMs(data: Exclude<ChainBDerived, RecordOfCalls>['data']): EpochMs {
  if ('atMs' in data) return data.atMs
  if ('checkedAtMs' in data) return data.checkedAtMs
  if ('minuteAtMs' in data) return data.minuteAtMs
  return 'gradAtMs' in data ? data.gradAtMs : data.openedAtMs
}
