/**
 * What the log holds of tokens, in tables of the proof's own. Beside facts only the closings of markets are
 * read from derived records: which market is over, and when, is held against the facts by the proofs of pools and curves.
 */
import type { Database } from '../../../infra/clickhouse/database.ts'
import type { Log } from '../../../infra/log/log.ts'
import { scan } from '../../../infra/log/scan.ts'
import { createIngestCodecs, type IngestCodecs } from '../../../ingest/codecs.ts'
import type { ChainARecord } from '../../../schemas/chain-a/facts.ts'
import type { ChainBRecord } from '../../../schemas/chain-b/facts.ts'
import type { Stage } from '../../../schemas/stage.ts'
import { readsOfPrices } from './prices.ts'
import { type Logged, stages } from './project.ts'

/** Columns with their types; `known`: when the tick behind the record was known, `next`: when the one after that was. */
const tables = {
  proof_ticks: 'chain String, known Int64, block_at Int64',
  proof_mentions:
    'chain String, token String, ord Int64, chat String, post Int64, chat_name Nullable(String), poster String, kind String, posted Int64, tokens Int64, next Int64',
  proof_answers: 'chain String, token String, at Int64, px Nullable(Float64), change_1h Nullable(Float64), next Int64',
  proof_prices: 'chain String, token String, at Int64, ord Int64, px Float64',
  proof_births: 'chain String, token String, at Int64',
  proof_closings: 'chain String, token String, at Int64',
  proof_buys: 'token String, at Int64, ord Int64, block Int64, eth Float64, tx String, trader Nullable(String)',
  proof_senders: 'tx String, sender String',
} as const
type ProofTable = keyof typeof tables
export type Rows = Record<ProofTable, unknown[][]>
/** Where a record stands. `known` and `next` are told of posts and answered prices only. */
export type Place = Readonly<{ chain: string; token: string; ord: number; known: number | null; next: number | null }>

type Any = ChainARecord | ChainBRecord

export type Facts = Readonly<{
  /** Reads what came since the last call. Posts and answers of the last tick are taken when the next one is known. */
  readOn(): Promise<void>
  /** Swaps and curve trades so far. */
  trades(): number
}>

/** Makes the tables and fills them as the log grows. */
export async function openFacts({ log, registry }: Logged, database: Database): Promise<Facts> {
  for (const [name, columns] of Object.entries(tables))
    await database.command(`CREATE TABLE ${name} (${columns}) ENGINE = MergeTree ORDER BY tuple()`)
  const rows = Object.fromEntries(Object.keys(tables).map((name) => [name, []])) as unknown as Rows
  const counts = { trades: 0 }
  const partitions: (() => Promise<void>)[] = []
  for (const stage of stages) {
    const codecs = await createIngestCodecs(stage, registry)
    for (let partition = 0; partition < stage.factTopic.partitionCount; partition++)
      partitions.push(openPartition({ log, stage, codecs, partition }, rows, counts))
  }
  const insertAll = async () => {
    for (const [table, all] of Object.entries(rows)) {
      const columns = tables[table as ProofTable].split(', ').map((column) => column.split(' ')[0] as string)
      if (all.length > 0) await database.insert({ table, columns, rows: all.splice(0) })
    }
  }
  return {
    trades: () => counts.trades,
    async readOn() {
      for (const readOn of partitions) await readOn()
      await insertAll()
    },
  }
}

type TickData = Readonly<{ knownAtMs: number; blockAtMs: number }>
type Held = Readonly<{ place: Pick<Place, 'chain' | 'token' | 'ord'>; record: Any; tick: number }>
type Partition = Readonly<{ log: Log; stage: Stage; codecs: IngestCodecs; partition: number }>

function openPartition(
  { log, stage, codecs, partition }: Partition,
  rows: Rows,
  counts: { trades: number },
): () => Promise<void> {
  const chain = stage.name
  const take = readsOfPrices(rows)
  const ticks: TickData[] = []
  let ord = 0
  let held: Held[] = []
  const facts = { log, topic: stage.factTopic.name, partition, codec: codecs.facts }
  const derived = { log, topic: stage.derivedTopic.name, partition, codec: codecs.derived as IngestCodecs['facts'] }
  const offsets = { facts: 0, derived: 0 }
  const takeTick = (tick: TickData) => {
    ticks.push(tick)
    if (partition === 0) rows.proof_ticks.push([chain, tick.knownAtMs, tick.blockAtMs])
  }
  const takeFact = (token: string, type: string, record: Any) => {
    const place = { chain, token, ord: ord++ }
    if (timed.has(type)) held.push({ place, record, tick: ticks.length })
    else take({ ...place, known: null, next: null }, record)
  }
  return async () => {
    offsets.facts = await scan(facts, offsets.facts, ({ key, value }) => {
      const type = codecs.facts.typeOf(value as Buffer) ?? ''
      if (!wanted.has(type)) return undefined
      if (trades.has(type)) counts.trades++
      const record = codecs.facts.decode(value as Buffer) as Any | Readonly<{ type: 'Tick'; data: TickData }>
      if (record.type === 'Tick') takeTick(record.data)
      else takeFact(key, type, record)
      return undefined
    })
    const isBehind = ({ tick }: Held) => tick + 1 >= ticks.length
    const later = held.findIndex(isBehind)
    for (const { place, record, tick } of later < 0 ? held : held.slice(0, later)) {
      const [known, next] = [ticks[tick] as TickData, ticks[tick + 1] as TickData]
      take({ ...place, known: known.knownAtMs, next: next.knownAtMs }, record)
    }
    held = later < 0 ? [] : held.slice(later)
    offsets.derived = await scan(derived, offsets.derived, ({ key, value }) => {
      if (value === null || !closings.has(derived.codec.typeOf(value) ?? '')) return undefined
      const { closedAtMs } = derived.codec.decode(value).data as unknown as Readonly<{ closedAtMs: number }>
      rows.proof_closings.push([chain, key, closedAtMs])
      return undefined
    })
  }
}

const closings = new Set(['PoolClosed', 'MintClosed'])
/** Records of which it matters when they were known. */
const timed = new Set(['Mentioned', 'PriceAnswered'])
const trades = new Set(['Swap', 'CurveTraded', 'PoolTraded'])
const wanted = new Set([
  ...['Tick', 'Mentioned', 'PriceAnswered', 'PoolCreated', 'PoolInitialized', 'Swap', 'CurveLaunched', 'CurveTraded'],
  ...['CurveMigrated', 'PoolTraded', 'SendersAnswered'],
])
