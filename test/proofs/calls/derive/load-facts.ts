/**
 * Reads the facts about tokens from the growing log: their trades, the posts about them, and the answers of
 * price lookups.
 */
import type { Database } from '../../../../infra/clickhouse/database.ts'
import type { Log } from '../../../../infra/log/log.ts'
import { scan, type TypedPartition } from '../../../../infra/log/scan.ts'
import { createIngestCodecs, type IngestCodecs } from '../../../../ingest/codecs.ts'
import type { Mentioned, PriceAnswered } from '../../../../schemas/calls/facts.ts'
import type { ChainAFact, ChainARecord } from '../../../../schemas/chain-a/facts.ts'
import type { ChainBFact, ChainBRecord } from '../../../../schemas/chain-b/facts.ts'
import type { Stage } from '../../../../schemas/stage.ts'
import { ChainAMarkets } from '../../../support/oracle/calls/chain-a.ts'
import { ChainBMarkets } from '../../../support/oracle/calls/chain-b.ts'
import type { Line } from '../../../support/oracle/calls/lines.ts'
import type { Post } from '../../../support/oracle/calls/posts.ts'
import { type Buy, Buys } from '../../../support/oracle/calls/precall.ts'
import type { Answered } from '../../../support/oracle/calls/watch.ts'
import { type Logged, stages } from './project.ts'

/**
 * The tables that this proof adds, with their columns and types. The proof uses them to choose tokens by
 * their posts.
 */
const tables = {
  proof_mentions: 'chain String, token String, kind String, posted Int64, tokens Int64',
} as const
type Rows = Record<keyof typeof tables, unknown[][]>

type TickOf = Readonly<{ knownAtMs: number; blockAtMs: number }>
export type TokenTold = Readonly<{
  chain: string
  token: string
  posts: readonly Post[]
  /** The first answer of the price lookup for each requested time. */
  answers: ReadonlyMap<number, Answered>
  lines(): readonly Line[]
  /** The buys of a token of chain A. */
  buys: readonly Buy[]
  /** The number of the tick that published the score of a post. The keys are `chat:post`. */
  scoredIn: ReadonlyMap<string, number>
}>

export type Facts = Readonly<{
  /** Reads the records that the log has gained after the last call. */
  readOn(): Promise<void>
  /** The number of swaps and curve trades so far. */
  trades(): number
  ticksOf(chain: string): readonly TickOf[]
  /** Returns the sender of a transaction, or null if no lookup asked for the sender. */
  senderOf(txHash: string): string | null
  /** The tokens in posts. */
  named(): readonly TokenTold[]
}>

type Token = {
  readonly chain: string
  readonly token: string
  readonly markets: ChainAMarkets | ChainBMarkets
  readonly buying: Buys
  readonly posts: Post[]
  readonly answers: Map<number, Answered>
  readonly scoredIn: Map<string, number>
}

/** Creates the tables, and fills them as the log grows. */
export async function openFacts({ log, registry }: Logged, database: Database): Promise<Facts> {
  for (const [name, columns] of Object.entries(tables))
    await database.command(`CREATE TABLE ${name} (${columns}) ENGINE = MergeTree ORDER BY tuple()`)
  const book = new Book()
  const partitions: (() => Promise<void>)[] = []
  for (const stage of stages) {
    const codecs = await createIngestCodecs(stage, registry)
    for (let partition = 0; partition < stage.factTopic.partitionCount; partition++)
      partitions.push(openPartition({ log, stage, codecs, partition }, book))
  }
  return {
    trades: () => book.trades,
    ticksOf: (chain) => book.ticks.get(chain) ?? [],
    senderOf: (txHash) => book.senders.get(txHash) ?? null,
    named: () =>
      [...book.tokens.values()]
        .filter(({ posts }) => posts.length > 0)
        .map(({ markets, buying, ...its }) => ({ ...its, buys: buying.all, lines: () => markets.lines() })),
    async readOn() {
      for (const readOn of partitions) await readOn()
      for (const [table, all] of Object.entries(book.rows)) {
        const columns = tables[table as keyof Rows].split(', ').map((column) => column.split(' ')[0] as string)
        if (all.length > 0) await database.insert({ table, columns, rows: all.splice(0) })
      }
    },
  }
}

type Partition = Readonly<{ log: Log; stage: Stage; codecs: IngestCodecs; partition: number }>

/**
 * Returns a function that reads the new records of a partition. Each record belongs to the tick that follows
 * it in the log.
 */
function openPartition({ log, stage, codecs, partition }: Partition, book: Book): () => Promise<void> {
  const facts: TypedPartition = { log, topic: stage.factTopic.name, partition, codec: codecs.facts }
  const derived: TypedPartition = { log, topic: stage.derivedTopic.name, partition, codec: codecs.derived }
  const at = { facts: { offset: 0, tick: 0 }, derived: { offset: 0, tick: 0 } }
  return async () => {
    at.facts.offset = await scan(facts, at.facts.offset, ({ key, value }) => {
      const type = value === null ? '' : (codecs.facts.typeOf(value) ?? '')
      if (!wanted.has(type)) return undefined
      const record = codecs.facts.decode(value as Buffer) as Any
      if (record.type !== 'Tick') book.take({ chain: stage.name, token: key, tick: at.facts.tick }, record)
      else if (at.facts.tick++ >= 0 && partition === 0) book.addTick(stage.name, record.data)
      return undefined
    })
    at.derived.offset = await scan(derived, at.derived.offset, ({ key, value }) => {
      const type = value === null ? '' : codecs.derived.typeOf(value)
      if (type === 'Tick') at.derived.tick++
      if (type !== 'CallScored' || value === null) return undefined
      const { chat, post } = codecs.derived.decode(value).data as unknown as Pick<Mentioned, 'chat' | 'post'>
      book.tokenOf(stage.name, key).scoredIn.set(`${chat}:${post}`, at.derived.tick)
      return undefined
    })
  }
}

type Any = ChainARecord | ChainBRecord | Readonly<{ type: 'Tick'; data: TickOf }>
type Place = Readonly<{ chain: string; token: string; tick: number }>

class Book {
  readonly ticks = new Map<string, TickOf[]>()
  readonly tokens = new Map<string, Token>()
  readonly rows: Rows = { proof_mentions: [] }
  readonly senders = new Map<string, string>()
  trades = 0

  addTick(chain: string, { knownAtMs, blockAtMs }: TickOf): void {
    const known = this.ticks.get(chain) ?? []
    known.push({ knownAtMs, blockAtMs })
    this.ticks.set(chain, known)
  }

  tokenOf(chain: string, token: string): Token {
    const name = `${chain} ${token}`
    const known = this.tokens.get(name)
    if (known !== undefined) return known
    const markets = chain === 'chain-a' ? new ChainAMarkets() : new ChainBMarkets()
    const fresh = { chain, token, markets, buying: new Buys(), posts: [], answers: new Map(), scoredIn: new Map() }
    this.tokens.set(name, fresh)
    return fresh
  }

  take({ chain, token, tick }: Place, { type, data }: Exclude<Any, Readonly<{ type: 'Tick' }>>): void {
    if (type === 'SendersAnswered')
      for (const { txHash, sender } of data.senders ?? []) this.senders.set(txHash, sender)
    else if (type === 'Mentioned') this.#takePost({ chain, token, tick }, data)
    else if (type === 'PriceAnswered') this.#takeAnswer({ chain, token, tick }, data)
    else {
      const its = this.tokenOf(chain, token)
      if (chain === 'chain-a') (its.markets as ChainAMarkets).take({ type, data } as ChainAFact)
      else (its.markets as ChainBMarkets).take({ type, data } as ChainBFact)
      if (tradeTypes.has(type)) this.trades++
      if (chain === 'chain-a') its.buying.take({ type, data } as ChainAFact)
    }
  }

  #takePost({ chain, token, tick }: Place, mention: Mentioned): void {
    const { kind, postedAtMs, tokenCount, hasCode } = mention
    this.tokenOf(chain, token).posts.push({ mention: { ...mention }, knownIn: tick })
    if (hasCode !== false) this.rows.proof_mentions.push([chain, token, kind, postedAtMs, tokenCount])
  }

  #takeAnswer({ chain, token, tick }: Place, answer: PriceAnswered): void {
    const { answers } = this.tokenOf(chain, token)
    const atMs = Number(answer.questionId.slice(answer.questionId.lastIndexOf(':') + 1))
    if (!answers.has(atMs)) answers.set(atMs, { tick, answer: { ...answer } })
  }
}

const tradeTypes = new Set(['Swap', 'CurveTraded', 'PoolTraded'])
const wanted = new Set([
  ...['Tick', 'Mentioned', 'PriceAnswered', 'SendersAnswered', 'PoolCreated', 'PoolInitialized', 'LiquidityChanged'],
  ...['Swap', 'CurveLaunched', 'CurveFound', 'CurveTraded', 'CurveCompleted', 'CurveGraduated', 'CurveMigrated'],
  ...['PoolTraded'],
])
