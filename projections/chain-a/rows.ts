/** Derived records to table rows: pure, one case for each record. */
import type { Burst, ChainADerivedRecord, Withdrawn } from '../../schemas/chain-a/derived.ts'
import type { Tick } from '../../schemas/tick.ts'
import type { TopicName } from '../../schemas/topics.ts'
import { type VersionTable, versionTables } from '../tables.ts'
import { burstValues, curveValues, lpValues, minuteValues, outcomeValues, profileValues } from './row-values.ts'

/** A row without its stamp: values in the order of the table's own columns, and its natural key as text. */
export type Row = Readonly<{
  table: VersionTable
  key: string
  values: readonly unknown[]
  /** The version says that the row never happened; all but its natural key is the columns' defaults. */
  isWithdrawn?: true
}>

/** What stands around a record: its key, and the instant that the mark before it says it was published under. */
export type RowContext = Readonly<{ token: string; supersedesAtMs: number | null }>

/** All but the records that frame others: the tick that closes them and the mark before one that says something new. */
type RowRecord = Exclude<ChainADerivedRecord, { type: 'Tick' | 'Restated' }>

/** The row of a record, null for records that no table shows. */
export function rowOf(record: RowRecord, { token, supersedesAtMs }: RowContext): Row | null {
  switch (record.type) {
    case 'PoolOpened': {
      const { pool, dex, createdBlock, createdAtMs, px } = record.data
      return {
        table: 'pools',
        key: `${pool} ${createdAtMs}`,
        values: [pool, token, dex, createdBlock, createdAtMs, px],
      }
    }
    case 'PoolMinute': {
      const { pool, minuteAtMs } = record.data
      return { table: 'pool_minutes', key: `${pool} ${minuteAtMs}`, values: minuteValues(record.data) }
    }
    case 'Burst':
      return {
        table: 'bursts',
        key: burstKey(record.data),
        values: [...burstValues(record.data, token), supersedesAtMs],
      }
    case 'BurstBuyers': {
      const { pool, tier, atMs, wallets } = record.data
      return {
        table: 'burst_buyers',
        key: burstKey(record.data),
        values: [pool, tier, atMs, wallets === null ? 0 : 1, wallets ?? []],
      }
    }
    case 'BurstLp': {
      const { pool, tier, atMs } = record.data
      return { table: 'burst_lp', key: burstKey(record.data), values: [pool, tier, atMs, ...lpValues(record.data)] }
    }
    case 'PoolProfile':
      return {
        table: 'pool_profiles',
        key: `${record.data.pool} ${record.data.createdAtMs}`,
        values: profileValues(record.data, token),
      }
    case 'LaunchCurve':
      return {
        table: 'launch_curves',
        key: `${record.data.curve} ${record.data.launchAtMs ?? 0}`,
        values: curveValues(record.data, token),
      }
    case 'BurstOutcome':
      return { table: 'burst_outcomes', key: burstKey(record.data), values: outcomeValues(record.data) }
    case 'Withdrawn':
      return withdrawnRow(record.data, token)
    // Pools and curves leave answers by their age; questions are answered by records of their own.
    case 'PoolClosed':
    case 'CurveClosed':
    case 'SendersAsked':
    case 'OwnersAsked':
      return null
    default:
      return record satisfies never
  }
}

/** Where the rows of a record type stand, the column of their instant, and that of their subject where it is no pool. Record types without a table are missing. */
const rowPlaces: Readonly<Record<string, Readonly<{ table: VersionTable; instant: string; subject?: string }>>> = {
  PoolOpened: { table: 'pools', instant: 'created_at_ms' },
  PoolMinute: { table: 'pool_minutes', instant: 'minute_at_ms' },
  Burst: { table: 'bursts', instant: 'at_ms' },
  BurstBuyers: { table: 'burst_buyers', instant: 'at_ms' },
  BurstLp: { table: 'burst_lp', instant: 'at_ms' },
  PoolProfile: { table: 'pool_profiles', instant: 'created_at_ms' },
  LaunchCurve: { table: 'launch_curves', instant: 'launched_at_ms', subject: 'curve' },
  BurstOutcome: { table: 'burst_outcomes', instant: 'at_ms' },
}

/** ClickHouse makes the columns' defaults of the nulls. */
function withdrawnRow({ recordType, pool, tier, atMs }: Withdrawn, token: string): Row | null {
  const place = rowPlaces[recordType]
  if (!place) return null
  const { table, instant, subject = 'pool' } = place
  const known: Readonly<Record<string, unknown>> = { token, [subject]: pool, tier, [instant]: atMs }
  return {
    table,
    key: tier === null ? `${pool} ${atMs}` : burstKey({ pool, tier, atMs }),
    values: versionTables[table].columns.map((column) => known[column] ?? null),
    isWithdrawn: true,
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

const burstKey = ({ pool, tier, atMs }: Pick<Burst, 'pool' | 'tier' | 'atMs'>) => `${pool} ${tier} ${atMs}`
