/** A derived topic in memory, written tick by tick like the stage does. Every partition gets every tick, and offsets have holes. */

import { createMemoryRegistry } from '../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec, type SchemaCodec, type SchemaRegistry } from '../../infra/codec/schema-codec.ts'
import type { Log, LogWriter, NewRecord } from '../../infra/log/log.ts'
import { partitionOf } from '../../infra/log/partition-of.ts'
import type {
  Burst,
  BurstLp,
  BurstOutcome,
  ChainADerived,
  ChainADerivedRecord,
  LaunchCurve,
  PoolMinute,
  PoolOpened,
  PoolProfile,
  Restated,
  TradeGap,
  Withdrawn,
} from '../../schemas/chain-a/derived.ts'
import type { Tick } from '../../schemas/tick.ts'
import { type TopicTable, topics } from '../../schemas/topics.ts'
import { createHoledLog } from '../support/log/holed-log.ts'

const topic = 'chain-a-derived'

/** A noon. It is both a full minute and a full hour. */
export const noonMs = Date.UTC(2026, 9, 20, 12)

export const address = (number: number): `0x${string}` => `0x${number.toString(16).padStart(40, '0')}`
export const poolId = (number: number): `0x${string}` => `0x${number.toString(16).padStart(64, '0')}`

export type TokenRecord = readonly [token: string, record: Exclude<ChainADerivedRecord, { type: 'Tick' }>]

type DerivedOf<Type extends ChainADerived['type']> = Extract<ChainADerived, { type: Type }>

export type DerivedLog = Readonly<{
  log: Log
  registry: SchemaRegistry
  /** Appends the records of one tick, keyed by token, and then the tick. */
  tick(atMs: number, records?: readonly TokenRecord[], fields?: Partial<Tick>): Promise<void>
  /** Appends records without a tick. */
  append(records: readonly NewRecord[]): Promise<void>
  encode: SchemaCodec<ChainADerivedRecord>['encode']
}>

/** `topicTable`: the topics of the log. */
export async function createDerivedLog(topicTable: TopicTable = topics): Promise<DerivedLog> {
  let nowMs = noonMs
  const log = createHoledLog({ nowMs: () => nowMs, topicTable })
  const registry = createMemoryRegistry()
  const codec = await createSchemaCodec<ChainADerivedRecord>(topics[topic], registry)
  const writer: LogWriter = await log.openWriter('stage')
  let seq = 0
  return {
    log,
    registry,
    encode: codec.encode,
    append: (records) => writer.append(records),
    async tick(atMs, records = [], fields = {}) {
      seq += 1
      nowMs = atMs + 7
      const tick = buildTick({ seq, knownAtMs: atMs, blockAtMs: atMs, blockNumber: seq * 10, ...fields })
      await writer.append([
        ...records.map(
          ([token, { type, data }]) =>
            ({
              topic,
              partition: partitionOf(token, topics['chain-a-facts'].partitionCount),
              key: token,
              value: codec.encode(type, data),
            }) as const,
        ),
        ...Array.from(
          { length: topics['chain-a-facts'].partitionCount },
          (_, partition) =>
            ({
              topic,
              partition,
              key: 'tick',
              value: codec.encode('Tick', tick),
            }) as const,
        ),
      ])
    },
  }
}

export const buildTick = (fields: Partial<Tick>): Tick => ({
  seq: 1,
  knownAtMs: noonMs,
  blockNumber: 10,
  blockHash: poolId(0xb10c),
  blockAtMs: noonMs,
  ethUsd: 2000.1,
  ethUsdAtMs: noonMs - 1000,
  rulesVersion: 'a1',
  revertedFrom: null,
  source: 'simulated',
  ...fields,
})

export const buildPoolOpened = (fields: Partial<PoolOpened> = {}): DerivedOf<'PoolOpened'> => ({
  type: 'PoolOpened',
  data: { pool: poolId(1), dex: 'v4', createdBlock: 5, createdAtMs: noonMs, px: 1.5e-24, ...fields },
})

export const buildMinute = (fields: Partial<PoolMinute> = {}): DerivedOf<'PoolMinute'> => ({
  type: 'PoolMinute',
  data: {
    pool: poolId(1),
    minuteAtMs: noonMs,
    buyWei: 10n ** 18n,
    sellWei: 0n,
    buys: 1,
    sells: 0,
    lastPx: 2e-24,
    lastSwapAtMs: noonMs + 500,
    liqEth: 3.25,
    ...fields,
  },
})

export const buildBurst = (fields: Partial<Burst> = {}): DerivedOf<'Burst'> => ({
  type: 'Burst',
  data: {
    pool: poolId(1),
    tier: 'main',
    atMs: noonMs,
    dex: 'v4',
    blockNumber: 77,
    blockHash: poolId(0xb10c),
    shape: 'other',
    inflowWei: 1_234_567_890_123_456_789n,
    buys: 14,
    sells: 2,
    windowSec: 60,
    poolCreatedAtMs: noonMs - 30 * 60_000,
    sameSizeMax: 3,
    top3Share: 0.51,
    sizeCv: 0.7,
    px: 1e-21,
    ...fields,
  },
})

export const buildBuyers = (fields: Partial<DerivedOf<'BurstBuyers'>['data']> = {}): DerivedOf<'BurstBuyers'> => ({
  type: 'BurstBuyers',
  data: { pool: poolId(1), tier: 'main', atMs: noonMs, wallets: [address(1), address(2)], ...fields },
})

export const buildOutcome = (fields: Partial<BurstOutcome> = {}): DerivedOf<'BurstOutcome'> => ({
  type: 'BurstOutcome',
  data: {
    pool: poolId(1),
    tier: 'main',
    atMs: noonMs,
    ret30m: 0.1 + 0.2,
    peakRet: 1.5,
    ruleRet: -0.17,
    exits: [
      { rule: 'hold', ret: 0.25, why: 'held', sec: null },
      { rule: 'live', ret: -0.17, why: 'burst_fade', sec: 61 },
    ],
    rug: null,
    ...fields,
  },
})

const heldShares = {
  class: 'held',
  insiderShare: 0.75,
  burnedShare: 0.25,
  contractShare: 0,
  otherShare: 0,
  unknownShare: 0,
  firstAddAtMs: noonMs - 30 * 60_000,
  lpAdds: 2,
} as const

export const buildLp = (fields: Partial<BurstLp> = {}): DerivedOf<'BurstLp'> => ({
  type: 'BurstLp',
  data: { pool: poolId(1), tier: 'main', atMs: noonMs, ...heldShares, ...fields },
})

export const buildProfile = (fields: Partial<PoolProfile> = {}): DerivedOf<'PoolProfile'> => ({
  type: 'PoolProfile',
  data: {
    pool: poolId(1),
    createdAtMs: noonMs - 40 * 60_000,
    checkedAtMs: noonMs,
    blockNumber: 77,
    creator: address(0xc),
    ...heldShares,
    ...fields,
  },
})

/** A curve that is half full. */
export const buildCurve = (fields: Partial<LaunchCurve> = {}): DerivedOf<'LaunchCurve'> => ({
  type: 'LaunchCurve',
  data: {
    curve: address(0xc0),
    launchpad: 'pons-v2',
    completed: false,
    symbol: 'TEST',
    creator: address(0xc),
    launchBlock: 60,
    launchAtMs: noonMs - 30 * 60_000,
    gradBlock: null,
    graduationWei: 4_200_000_000_000_000_000n,
    reserveWei: 2_100_000_000_000_000_000n,
    phantomWei: 1_680_000_000_000_000_000n,
    supplyRaw: 10n ** 27n,
    feeBps: 200,
    readBlock: 77,
    readAtMs: noonMs,
    ...fields,
  },
})

/**
 * A gap in the recorded swaps of the minute before noon. The swap at noon does not continue the state of the
 * pool, so it shows the gap.
 */
export const buildTradeGap = (fields: Partial<TradeGap> = {}): DerivedOf<'TradeGap'> => ({
  type: 'TradeGap',
  data: {
    ...{ pool: poolId(1), atMs: noonMs, txHash: poolId(0x7a), logIndex: 2, fromAtMs: noonMs - 60_000, toAtMs: noonMs },
    ...{ trades: null, volumeRaw: 5n * 10n ** 17n, state: 'open', failure: null },
    ...fields,
  },
})

/** Withdraws the row of a burst. */
export const buildWithdrawn = (fields: Partial<Withdrawn> = {}): TokenRecord[1] => ({
  type: 'Withdrawn',
  data: { recordType: 'Burst', pool: poolId(1), tier: 'main', atMs: noonMs, name: '', ...fields },
})

/** The mark that comes directly before a record that a reorg changed. */
export const buildRestated = (fields: Partial<Restated> = {}): TokenRecord[1] => ({
  type: 'Restated',
  data: { recordType: 'Burst', pool: poolId(1), tier: 'main', atMs: noonMs, name: '', supersedesAtMs: null, ...fields },
})
