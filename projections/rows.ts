/** Derived records to table rows: pure, one case for each record. */
import type { ChainADerivedRecord } from '../schemas/chain-a/derived.ts'
import type { Tick } from '../schemas/chain-a/facts.ts'
import type { TopicName } from '../schemas/topics.ts'
import type { VersionTable } from './tables.ts'

/** A row without its stamp: values in the order of the table's own columns, and its natural key as text. */
export type Row = Readonly<{ table: VersionTable; key: string; values: readonly unknown[] }>

/**
 * The row of a record, null for records that no table shows. `token` is the record's key.
 * Exact integers become decimal strings: JSON numbers would round them.
 */
export function rowOf(record: Exclude<ChainADerivedRecord, { type: 'Tick' }>, token: string): Row | null {
  switch (record.type) {
    case 'PoolOpened': {
      const { pool, dex, createdBlock, createdAtMs, px } = record.data
      return {
        table: 'pools',
        key: `${createdAtMs} ${pool}`,
        values: [pool, token, dex, createdBlock, createdAtMs, px],
      }
    }
    case 'PoolMinute': {
      const { pool, minuteAtMs, buyWei, sellWei, buys, sells, lastPx, lastSwapAtMs, liqEth } = record.data
      return {
        table: 'pool_minutes',
        key: `${pool} ${minuteAtMs}`,
        values: [pool, minuteAtMs, buyWei.toString(), sellWei.toString(), buys, sells, lastPx, lastSwapAtMs, liqEth],
      }
    }
    case 'Burst':
      return { table: 'bursts', key: burstKey(record.data), values: burstValues(record.data, token) }
    case 'BurstBuyers': {
      const { pool, tier, atMs, wallets } = record.data
      return {
        table: 'burst_buyers',
        key: burstKey(record.data),
        values: [pool, tier, atMs, wallets === null ? 0 : 1, wallets ?? []],
      }
    }
    case 'BurstOutcome': {
      const { pool, tier, atMs, ret30m, peakRet, ruleRet, exits, rug } = record.data
      return {
        table: 'burst_outcomes',
        key: burstKey(record.data),
        values: [
          pool,
          tier,
          atMs,
          ret30m,
          peakRet,
          ruleRet,
          exits.map(({ rule, ret, why, sec }) => ({ rule, ret, why, sec })),
          rug?.atSec ?? null,
          rug?.lpRemoved ?? null,
        ],
      }
    }
    // A pool leaves answers by its age; questions are answered by records of their own.
    case 'PoolClosed':
    case 'SendersAsked':
      return null
    default:
      return record satisfies never
  }
}

/** The row of a tick in the table of what was known when. */
export function tickRow(topic: TopicName, tick: Tick): Row {
  const { seq, blockNumber, blockHash, blockAtMs, ethUsd, ethUsdAtMs, rulesVersion, source } = tick
  return {
    table: 'ticks',
    key: `${topic} ${seq}`,
    values: [topic, blockNumber, blockHash, blockAtMs, ethUsd, ethUsdAtMs, rulesVersion, source],
  }
}

type BurstData = Extract<ChainADerivedRecord, { type: 'Burst' }>['data']

const burstKey = ({ pool, tier, atMs }: Pick<BurstData, 'pool' | 'tier' | 'atMs'>) => `${pool} ${tier} ${atMs}`

const burstValues = (burst: BurstData, token: string): readonly unknown[] => [
  token,
  burst.pool,
  burst.tier,
  burst.atMs,
  burst.dex,
  burst.blockNumber,
  burst.blockHash,
  burst.shape,
  burst.inflowWei.toString(),
  burst.buys,
  burst.sells,
  burst.windowSec,
  burst.poolCreatedAtMs,
  burst.sameSizeMax,
  burst.top3Share,
  burst.sizeCv,
  burst.px,
]
