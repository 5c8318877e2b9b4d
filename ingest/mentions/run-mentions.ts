/**
 * Follows the posts of the chats and writes what they say of tokens as facts of the tokens’ chains. It belongs to ingest: the
 * address books of today decide, so it is never run again over old posts.
 */
import assert from 'node:assert/strict'
import type { SchemaCodec } from '../../infra/codec/schema-codec.ts'
import type { Log, LogWriter, NewRecord } from '../../infra/log/log.ts'
import { partitionOf } from '../../infra/log/partition-of.ts'
import { recordsFrom } from '../../infra/log/read-back.ts'
import { loadSchemas } from '../../infra/log/scan.ts'
import { offsetKnownAt } from '../../infra/log/ticks.ts'
import type { ChatFact } from '../../schemas/chats/facts.ts'
import type { StageRecord, TickRecord } from '../../schemas/stage.ts'
import type { Topic } from '../../schemas/topics.ts'
import { type Delay, delay as realDelay } from '../delay.ts'
import { createMarketBook, type MarketBook } from './market-book.ts'
import type { TokenNaming } from './naming.ts'
import { factsOf, type ReadPost, readPost } from './read-post.ts'
import { areAllKnown, namedTokens, type TokenChain } from './tokens.ts'
import { createWaitingPosts, spanMs, type WaitingPosts } from './waiting-posts.ts'
import { type FactTopic, readWritten, type Written } from './written.ts'

/** A chain that posts may name tokens of. `name`: of its stage. */
export type MentionedChain = FactTopic & Readonly<{ name: string; naming: TokenNaming }>

export type MentionOptions = Readonly<{
  log: Log
  posts: Readonly<{ topic: Topic; codec: SchemaCodec<ChatFact | TickRecord> }>
  chains: readonly MentionedChain[]
  addresses: SchemaCodec<StageRecord>
  nowMs: () => number
  signal: AbortSignal
  delay?: Delay
}>

const hourMs = 3_600_000
/** Posts that were read while nothing ran here are read up to this age. */
const memoryMs = 24.5 * hourMs
/** An edit of an older post brings no mention: what the post named before is forgotten. */
const editAgeMsMax = 24 * hourMs
const readBackMs = 2 * spanMs
const idleMs = 250
const forgetEveryMs = hourMs
/** The posts have one partition: their order over all chats is the order in which ingest had them. */
const partition = 0

type Running = Readonly<{
  options: MentionOptions
  writer: LogWriter
  written: Written
  waiting: WaitingPosts
  book: MarketBook
  /** The chains, each with what is known of it. */
  chains: readonly TokenChain[]
  /** Posts that ingest had earlier were handled, or are too old. */
  fromMs: number
}>

/**
 * Runs until the signal aborts. A post’s token gets its mention once, and each version of a card its reading, however often
 * this is started again. Fails when the log does: `writer_fenced` when a later run opened the writer.
 */
export async function runMentions(options: MentionOptions): Promise<void> {
  const { log, nowMs, chains, posts, signal, delay = realDelay } = options
  // Opened before the log is read, so that an earlier run adds nothing behind what is read.
  const writer = await log.openWriter('mentions', { isTransactional: false })
  try {
    const sinceMs = nowMs() - memoryMs
    const written = await readWritten(log, chains, sinceMs)
    const fromMs = Math.max(sinceMs, (written.newestSeenAtMs ?? sinceMs) - readBackMs)
    const book = createMarketBook({ log, codec: options.addresses, namings: chains.map(({ naming }) => naming) })
    const running: Running = {
      options,
      writer,
      written,
      waiting: createWaitingPosts(),
      book,
      fromMs,
      chains: chains.map(({ name, naming }) => ({ name, ...naming, known: book.knownOf(naming) })),
    }
    const place = { log, topic: posts.topic.name, partition, codec: posts.codec } as const
    let offset = await offsetKnownAt(place, fromMs)
    let forgottenAtMs = nowMs()
    while (!signal.aborted) {
      offset = await readOn(running, offset)
      await writeReady(running)
      if (nowMs() - forgottenAtMs > forgetEveryMs) {
        forgottenAtMs = nowMs()
        written.forgetBefore(forgottenAtMs - memoryMs)
      }
      if (running.waiting.count() > 0) await delay(idleMs, signal)
      else await log.waitForAppend({ topic: posts.topic.name, partition, offset }, signal)
    }
  } finally {
    await writer.close()
  }
}

/** To the end of the posts. Returns where to go on. */
async function readOn(running: Running, fromOffset: number): Promise<number> {
  const { log, posts, signal } = running.options
  const { codec } = posts
  const loadedIds = new Set<number>()
  let offset = fromOffset
  for await (const batch of recordsFrom(log, { topic: posts.topic.name, partition, offset }, { signal })) {
    await loadSchemas({ codec: codec as SchemaCodec<StageRecord> }, batch, loadedIds)
    for (let index = 0; index < batch.count; index++) {
      const value = batch.valueAt(index)
      const record = value && codec.decode(value)
      const read = record && record.type !== 'Tick' ? readPost(record) : null
      if (read !== null && read.seenAtMs >= running.fromMs) running.waiting.add(read)
    }
    offset = batch.nextOffset
    await writeReady(running)
  }
  return offset
}

async function writeReady(running: Running): Promise<void> {
  const { waiting, book, chains, options } = running
  if (waiting.count() === 0) return
  await book.readOn()
  const isKnown = ({ named }: ReadPost) => areAllKnown(named, chains)
  for (;;) {
    if (options.signal.aborted) return
    const ready = waiting.take(isKnown, options.nowMs())
    if (ready.length === 0) return
    await write(running, ready)
  }
}

async function write({ options, writer, written, chains }: Running, ready: readonly ReadPost[]): Promise<void> {
  const atMs = options.nowMs()
  const records: NewRecord[] = []
  for (const read of ready) {
    for (const fact of factsOf(read, namedTokens(read.named, chains), atMs)) {
      if (written.has(read, fact) || isForgotten(read, fact.fact.type, atMs)) continue
      // Two versions of a post may be written together.
      written.add(read, fact, atMs)
      records.push(recordOf(options.chains, fact))
    }
  }
  if (records.length > 0) await writer.append(records)
}

const isForgotten = ({ editedAtMs, content }: ReadPost, type: string, atMs: number): boolean =>
  type === 'Mentioned' && editedAtMs !== null && atMs - content.postedAtMs > editAgeMsMax

function recordOf(chains: readonly MentionedChain[], { named, fact }: ReturnType<typeof factsOf>[number]): NewRecord {
  const chain = chains.find(({ name }) => name === named.chain)
  assert(chain, 'a token is of a chain that was asked')
  const { topic, codec } = chain
  return {
    topic: topic.name,
    partition: partitionOf(named.token, topic.partitionCount),
    key: named.token,
    value: codec.encode(fact.type, fact.data),
  }
}
