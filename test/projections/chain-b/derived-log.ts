/** A derived topic of chain B in memory, written tick by tick like the stage does. */

import { toBase58 } from '../../../infra/base58.ts'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec, type SchemaRegistry } from '../../../infra/codec/schema-codec.ts'
import type { Log } from '../../../infra/log/log.ts'
import { partitionOf } from '../../../infra/log/partition-of.ts'
import type { ChainBDerived, ChainBDerivedRecord, RowKey } from '../../../schemas/chain-b/derived.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import type { Tick } from '../../../schemas/tick.ts'
import type { Hex } from '../../../schemas/units.ts'
import { createHoledLog } from '../../support/log/holed-log.ts'
import { buildTick, noonMs } from '../derived-log.ts'

const bytesOf = (number: number): Buffer => {
  const bytes = Buffer.alloc(32, 7)
  bytes.writeInt32BE(number, 28)
  return bytes
}

/** A mint in base58, the form of the record keys. */
export const mint = (number: number): string => toBase58(bytesOf(number))
export const wallet = (number: number): Hex => `0x${bytesOf(1000 + number).toString('hex')}`

export type MintRecord = readonly [mint: string, record: Exclude<ChainBDerivedRecord, { type: 'Tick' }>]

type DataOf<Type extends ChainBDerived['type']> = Extract<ChainBDerived, { type: Type }>['data']
type RecordOf<Type extends ChainBDerived['type']> = Readonly<{ type: Type; data: DataOf<Type> }>

export type ChainBLog = Readonly<{
  log: Log
  registry: SchemaRegistry
  /**
   * Appends the records of one tick, keyed by mint, and then the tick. All of them are published 7 ms after
   * `atMs`.
   */
  tick(atMs: number, records?: readonly MintRecord[], fields?: Partial<Tick>): Promise<void>
}>

export async function createChainBLog(): Promise<ChainBLog> {
  const { name: topic, partitionCount } = chainBStage.derivedTopic
  let nowMs = noonMs
  const log = createHoledLog({ nowMs: () => nowMs })
  const registry = createMemoryRegistry()
  const codec = await createSchemaCodec<ChainBDerivedRecord>(chainBStage.derivedTopic, registry)
  const writer = await log.openWriter('stage')
  let seq = 0
  return {
    log,
    registry,
    async tick(atMs, records = [], fields = {}) {
      seq += 1
      nowMs = atMs + 7
      const times = { knownAtMs: atMs, blockAtMs: atMs, blockNumber: seq * 10 }
      const price = { ethUsd: 150.5, ethUsdAtMs: noonMs - 1000 }
      const tick = buildTick({ seq, ...times, ...price, rulesVersion: chainBStage.rulesVersion, ...fields })
      const value = codec.encode('Tick', tick)
      await writer.append([
        ...records.map(([key, { type, data }]) => {
          const partition = partitionOf(key, partitionCount)
          return { topic, partition, key, value: codec.encode(type, data) }
        }),
        ...Array.from({ length: partitionCount }, (_, partition) => ({ topic, partition, key: 'tick', value })),
      ])
    },
  }
}

export const buildBurst = (fields: Partial<DataOf<'Burst'>> = {}): RecordOf<'Burst'> => ({
  type: 'Burst',
  data: {
    ...{ atMs: noonMs, slot: 77, slotHash: wallet(0), inflowLamports: 12_345_678_901n, windowSec: 60 },
    ...{ fillFrom: 0.25, fillAt: 0.4, launchAtMs: noonMs - 30 * 60_000, virtualSol: 45.5 },
    ...fields,
  },
})

/** A mint that is launched at noon. */
export const buildMintOpened = (fields: Partial<DataOf<'MintOpened'>> = {}): RecordOf<'MintOpened'> => ({
  type: 'MintOpened',
  data: {
    ...{ openedAtMs: noonMs, curve: wallet(50), launcher: wallet(51), creator: null, name: 'Test', symbol: 'TEST' },
    ...{ launchSlot: 76, launchAtMs: noonMs, quoteMint: null, isMayhem: false },
    ...fields,
  },
})

/** The trades of the minute that begins at noon, on a curve that is two fifths full after them. */
export const buildMintMinute = (fields: Partial<DataOf<'MintMinute'>> = {}): RecordOf<'MintMinute'> => ({
  type: 'MintMinute',
  data: {
    ...{ minuteAtMs: noonMs, buyLamports: 3_000_000_000n, sellLamports: 1_000_000_000n, buys: 2, sells: 1 },
    ...{ lastPx: 5e-14, fill: 0.4 },
    ...fields,
  },
})

export const buildAnatomy = (fields: Partial<DataOf<'BurstAnatomy'>> = {}): RecordOf<'BurstAnatomy'> => ({
  type: 'BurstAnatomy',
  data: {
    ...{ atMs: noonMs, buys: 9, wallets: [wallet(1), wallet(2)], sameSlotMax: 3, bundledShare: 0.6, sameSizeMax: 4 },
    ...{ top3Share: 0.5, holdersTop10: 0.3, holderTop1: 0.125 },
    ...fields,
  },
})

/** The outcome of a burst whose curve did not complete within 20 minutes. */
export const buildOutcome = (fields: Partial<DataOf<'BurstOutcome'>> = {}): RecordOf<'BurstOutcome'> => ({
  type: 'BurstOutcome',
  data: {
    ...{ atMs: noonMs, completedAtMs: null, peakRet: 1.5, gradRet: null, ret20m: 0.1 + 0.2, ruleRet: -0.175 },
    isNonStandardCurve: false,
    exits: [
      { rule: 'live', ret: -0.175, why: 'burst_fade', sec: 61 },
      { rule: 'hold', ret: 0.25, why: 'held', sec: null },
    ],
    ...fields,
  },
})

/** A graduation after 45 minutes on the curve, with a burst five minutes before. */
export const buildGraduation = (fields: Partial<DataOf<'Graduation'>> = {}): RecordOf<'Graduation'> => ({
  type: 'Graduation',
  data: {
    ...{ gradAtMs: noonMs, slot: 78, launchAtMs: noonMs - 45 * 60_000 },
    path: [
      { beforeSec: 120, fill: 0.5 },
      { beforeSec: 60, fill: 0.75 },
      { beforeSec: 0, fill: 1 },
    ],
    burst: { atMs: noonMs - 5 * 60_000, inflowLamports: 10_500_000_000n, fillAt: 0.45 },
    ...fields,
  },
})

/** A graduation whose pool has just opened. */
export const buildPost = (fields: Partial<DataOf<'GraduationPost'>> = {}): RecordOf<'GraduationPost'> => ({
  type: 'GraduationPost',
  data: { gradAtMs: noonMs, anchorAtMs: noonMs + 2000, ret1: null, ret5: null, ret15: null, ...fields },
})

/**
 * A gap in the recorded trades of the minute before noon. The trade at noon does not continue the reserves,
 * so it shows the gap.
 */
export const buildTradeGap = (fields: Partial<DataOf<'TradeGap'>> = {}): RecordOf<'TradeGap'> => ({
  type: 'TradeGap',
  data: {
    ...{ atMs: noonMs, txHash: signature(9), logIndex: 2, fromAtMs: noonMs - 60_000, toAtMs: noonMs },
    ...{ trades: null, volumeRaw: 1_500_000_000n, state: 'open', failure: null },
    ...fields,
  },
})

const burstRow: RowKey = { recordType: 'Burst', atMs: noonMs, txHash: null, logIndex: null, name: '' }

/** The signature of a transaction, 64 bytes. */
export const signature = (number: number): Hex => `0x${bytesOf(number).toString('hex').repeat(2)}`

/** A big buy by wallet 1 on a curve that is half an hour old. */
export const buildCopyOpened = (fields: Partial<DataOf<'CopyOpened'>> = {}): RecordOf<'CopyOpened'> => ({
  type: 'CopyOpened',
  data: {
    ...{ atMs: noonMs, txHash: signature(1), logIndex: 0, slot: 77, wallet: wallet(1), lamports: 1_500_000_000n },
    ...{ fillAt: 0.4, launchAtMs: noonMs - 30 * 60_000, px: 5e-8 },
    ...fields,
  },
})

/** The hour after the buy of `buildCopyOpened`. The leader sold early, and the copy gained 50 %. */
export const buildCopyClosed = (fields: Partial<DataOf<'CopyClosed'>> = {}): RecordOf<'CopyClosed'> => ({
  type: 'CopyClosed',
  data: {
    ...{ atMs: noonMs, txHash: signature(1), logIndex: 0, wallet: wallet(1), isHit: true },
    path: [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.11, 0.12],
    leaderSale: { afterSec: 90, share: 0.5, gain: 0.25 },
    ...{ quoteDrift: 0.015, fillSlip: 0.02, ret: 0.5, exit: 'take_profit', exitSec: 120 },
    ...fields,
  },
})

/** Withdraws the row of a burst. */
export const buildWithdrawn = (fields: Partial<RowKey> = {}): MintRecord[1] => ({
  type: 'Withdrawn',
  data: { ...burstRow, ...fields },
})

/** The mark that comes directly before a record that a reorg changed. */
export const buildRestated = (
  fields: Partial<RowKey & Readonly<{ supersedesAtMs: number | null }>> = {},
): MintRecord[1] => ({ type: 'Restated', data: { ...burstRow, supersedesAtMs: null, ...fields } })

/** A safety report with two findings of the provider's worst level. */
export const buildSafety = (fields: Partial<DataOf<'Safety'>> = {}): RecordOf<'Safety'> => ({
  type: 'Safety',
  data: {
    ...{ checkedAtMs: noonMs + 1000, provider: 'provider.example', score: 17, isRugged: false, mintAuthority: null },
    ...{ freezeAuthority: null, lpLockedShare: 0.5, topHolderShare: null, fails: ['a', 'b'] },
    ...{ reason: 'burst', hasPool: null },
    ...fields,
  },
})

const deskMarket = wallet(77)

export const buildDeskOpened = (fields: Partial<DataOf<'DeskOpened'>> = {}): RecordOf<'DeskOpened'> => ({
  type: 'DeskOpened',
  data: {
    ...{ book: 'main', lane: 'burst', signalAtMs: noonMs, openedAtMs: noonMs + 3000, market: deskMarket },
    ...fields,
  },
})

/** A trade that was stopped out after ten minutes. */
export const buildDeskTrade = (fields: Partial<DataOf<'DeskTrade'>> = {}): RecordOf<'DeskTrade'> => ({
  type: 'DeskTrade',
  data: {
    ...{ ...buildDeskOpened().data, closedAtMs: noonMs + 10 * 60_000, ret: -0.175, peakRet: 0.1, exit: 'stop' },
    ...fields,
  },
})

export const buildDeskShadow = (fields: Partial<DataOf<'DeskShadow'>> = {}): RecordOf<'DeskShadow'> => ({
  type: 'DeskShadow',
  data: {
    ...{ signalAtMs: noonMs, signal: 'burst', anchorAtMs: noonMs + 3000, market: deskMarket },
    ...{ ret1: 0.1, ret5: 0.2, ret15: -0.1, ret60: null, mfe: 0.3, mae: -0.2 },
    ...fields,
  },
})
