/**
 * What the log holds of tokens that were posted, in tables of the proof's own. Beside facts only the closings of markets are
 * read from derived records: which market is over, and when, is held against the facts by the proofs of pools and curves.
 */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { scan } from '../../../infra/log/scan.ts'
import { createIngestCodecs, type IngestCodecs } from '../../../ingest/codecs.ts'
import type { ChainADerived } from '../../../schemas/chain-a/derived.ts'
import type { ChainARecord } from '../../../schemas/chain-a/facts.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import type { ChainBDerived } from '../../../schemas/chain-b/derived.ts'
import type { ChainBRecord } from '../../../schemas/chain-b/facts.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { chatsStage } from '../../../schemas/chats/stage.ts'
import type { Stage } from '../../../schemas/stage.ts'
import { readsOfPrices } from './prices.ts'
import type { World } from './project.ts'

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
/** Where a record stands. */
export type Place = Readonly<{ chain: string; token: string; ord: number; known: number; next: number }>

type Any = ChainARecord | ChainBRecord | ChainADerived | ChainBDerived
const rowsMax = 20_000

export async function loadFacts({ log, registry }: World, database: Database): Promise<void> {
  const rows = Object.fromEntries(Object.keys(tables).map((name) => [name, []])) as unknown as Rows
  for (const [name, columns] of Object.entries(tables))
    await database.command(`CREATE TABLE ${name} (${columns}) ENGINE = MergeTree ORDER BY tuple()`)
  for (const stage of [chainAStage, chainBStage, chatsStage] as unknown as readonly Stage[]) {
    const codecs = await createIngestCodecs(stage, registry)
    const read = partitionReader({ log, registry }, { stage, codecs })
    for (let partition = 0; partition < stage.factTopic.partitionCount; partition++) await read(partition, rows)
  }
  for (const [table, all] of Object.entries(rows)) {
    const columns = tables[table as ProofTable].split(', ').map((column) => column.split(' ')[0] as string)
    for (let from = 0; from < all.length; from += rowsMax)
      await database.insert({ table, columns, rows: all.slice(from, from + rowsMax) })
  }
}

type Reading = Readonly<{ stage: Stage; codecs: IngestCodecs }>

function partitionReader({ log }: Pick<World, 'log' | 'registry'>, { stage, codecs }: Reading) {
  const ofTopic = async (topic: string, partition: number, codec: IngestCodecs['facts']) => {
    const found: Keyed[] = []
    await scan({ log, topic, partition, codec }, 0, ({ key, value }) => {
      if (value !== null && wanted.has(codec.typeOf(value))) found.push({ key, record: codec.decode(value) as Any })
      return undefined
    })
    return found
  }
  return async (partition: number, rows: Rows) => {
    const chain = stage.name
    const facts = await ofTopic(stage.factTopic.name, partition, codecs.facts)
    const derived = await ofTopic(stage.derivedTopic.name, partition, codecs.derived as IngestCodecs['facts'])
    const ticks = facts.flatMap(({ record }) => (record.type === 'Tick' ? [record.data] : []))
    if (partition === 0)
      rows.proof_ticks.push(...ticks.map(({ knownAtMs, blockAtMs }) => [chain, knownAtMs, blockAtMs]))
    const posted = new Set(facts.flatMap(({ key, record }) => (record.type === 'Mentioned' ? [key] : [])))
    takeAll(facts, { chain, posted, ticks, take: readsOfPrices(rows) })
    for (const { key, record } of derived)
      if (isClosing(record) && posted.has(key)) rows.proof_closings.push([chain, key, record.data.closedAtMs])
  }
}

type Keyed = Readonly<{ key: string; record: Any | Readonly<{ type: 'Tick'; data: TickData }> }>
type Taking = Readonly<{
  chain: string
  posted: ReadonlySet<string>
  ticks: readonly TickData[]
  take: ReturnType<typeof readsOfPrices>
}>

/** Of the tokens that were posted. */
function takeAll(facts: readonly Keyed[], { chain, posted, ticks, take }: Taking): void {
  const knownAt = (tick: number) => ticks[tick]?.knownAtMs ?? Number.MAX_SAFE_INTEGER
  let tick = 0
  for (const [ord, { key: token, record }] of facts.entries()) {
    if (record.type === 'Tick') tick++
    else if (posted.has(token)) take({ chain, token, ord, known: knownAt(tick), next: knownAt(tick + 1) }, record)
  }
}

type TickData = Readonly<{ knownAtMs: number; blockAtMs: number }>

const isClosing = (
  record: Readonly<{ type: string; data: object }>,
): record is Readonly<{ type: string; data: { closedAtMs: number } }> =>
  record.type === 'PoolClosed' || record.type === 'MintClosed'

const wanted = new Set([
  ...['Tick', 'Mentioned', 'PriceAnswered', 'PoolCreated', 'PoolInitialized', 'Swap', 'CurveLaunched', 'CurveTraded'],
  ...['CurveMigrated', 'PoolTraded', 'SendersAnswered', 'PoolClosed', 'MintClosed'],
])
