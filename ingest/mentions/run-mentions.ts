/**
 * Reads the posts of the chats, and writes their mentions and cards of tokens as facts into the topics of the
 * tokens' chains. This runs in ingest, because the result depends on the addresses that are known now. Old
 * posts are therefore not processed again.
 */

import assert from 'node:assert/strict'
import type { SchemaCodec } from '../../infra/codec/schema-codec.ts'
import type { Log, LogWriter, NewRecord } from '../../infra/log/log.ts'
import { partitionOf } from '../../infra/log/partition-of.ts'
import type { Logger } from '../../infra/telemetry.ts'
import type { Mentioned } from '../../schemas/calls/facts.ts'
import type { StageRecord } from '../../schemas/stage.ts'
import { type EpochMs, hourMs } from '../../schemas/units.ts'
import { type Delay, delay as realDelay } from '../delay.ts'
import { type CalledTokens, createCalledTokens } from './called-tokens.ts'
import { type CardCounts, countedUntil, createCardCounts } from './card-counts.ts'
import { type CodeReader, type Codes, createCodes } from './codes.ts'
import { createPostReader, type PostTopic } from './follow-posts.ts'
import { createMarketIndex, type MarketIndex } from './market-index.ts'
import type { TokenNaming } from './naming.ts'
import { createNamingLimit, type NamingLimit } from './naming-limit.ts'
import { factsOf, isAnswerOfBot, isOnCard, mentionsMax, type ReadPost, type TokenFact } from './read-post.ts'
import { areAllKnown, isElsewhere, type NamedToken, namedByForm, namedTokens, type TokenChain } from './tokens.ts'
import { createWaitingPosts, spanMs, type WaitingPosts } from './waiting-posts.ts'
import { type FactTopic, readWritten, type Written } from './written.ts'

/** A chain whose tokens posts may name. */
export type MentionedChain = FactTopic &
  Readonly<{
    naming: TokenNaming
    /**
     * Asks the node whether an address has a contract. If it is missing, the facts do not contain this
     * information.
     */
    readCode?: CodeReader | null
  }>

export type MentionOptions = Readonly<{
  log: Log
  posts: PostTopic
  chains: readonly MentionedChain[]
  addresses: SchemaCodec<StageRecord>
  nowMs: () => EpochMs
  signal: AbortSignal
  logger: Pick<Logger, 'info'>
  delay?: Delay
  /**
   * The maximum number of tokens of one chain whose markets ingest follows at one time because a post
   * recommended them.
   */
  followedTokensMax?: number
}>

/**
 * The time for which written mentions and cards are remembered. An edit may be read 12 h late, and the edited
 * post may be 12 h older than the edit. The last half hour is a margin.
 */
const memoryMs = 24.5 * hourMs
/** The maximum age of the posts that are read after a restart. */
const postAgeMsMax = 12 * hourMs
/**
 * The maximum age of a post at an edit that may add mentions. At a later edit, ingest may no longer remember
 * the earlier mentions of the post and would write them again.
 */
const editAgeMsMax = 12 * hourMs
const readBackMs = 2 * spanMs
const idleMs = 250
const forgetEveryMs = hourMs

type Running = Readonly<{
  options: MentionOptions
  writer: LogWriter
  written: Written
  limit: NamingLimit
  /**
   * The number of facts that were dropped because of `limit`, counted since the last log message about them.
   */
  leftOut: { count: number }
  waiting: WaitingPosts
  marketIndex: MarketIndex
  called: CalledTokens
  counts: CardCounts
  /**
   * The time range of the posts in which tokens are searched. `untilMs` is the time of the newest post so
   * far. Posts before `fromMs` are only counted (`counts`).
   */
  reach: { readonly fromMs: EpochMs; untilMs: EpochMs }
  /** The contract lookups, by the name of the chain. Only chains with `readCode` have them. */
  codes: ReadonlyMap<string, Codes>
  /** The chains, each with its known tokens. */
  chains: readonly TokenChain[]
}>

/**
 * Runs until the signal aborts. A restart writes no fact again: each token of a post gets one mention, and
 * each version of a card gives one `CardRead`. Fails if the log fails. For example, `writer_fenced` means
 * that a later run has opened the same writer.
 */
export async function runMentions(options: MentionOptions): Promise<void> {
  const { log, nowMs, chains, posts, signal, delay = realDelay } = options
  // Opens the writer before the log is read. From then on, an earlier run cannot append facts that this run
  // would miss.
  const writer = await log.openWriter('mentions', { isTransactional: false })
  try {
    const limit = createNamingLimit()
    const onMention = (mention: Mentioned, token: string) =>
      void limit.admits(mention, { token, isTracked: mention.isTracked })
    const written = await readWritten(log, chains, { sinceMs: nowMs() - memoryMs, onMention })
    const fromMs = Math.max(nowMs() - postAgeMsMax, (written.newestSeenAtMs ?? 0) - readBackMs)
    const countFromMs = await countedUntil(log, posts, nowMs())
    const { addresses: codec } = options
    const names = chains.map(({ name }) => name)
    const called = createCalledTokens(names, { codec, tokensMax: options.followedTokensMax })
    const namings = chains.map(({ naming }) => naming)
    const marketIndex = createMarketIndex({ log, codec, namings, onRecord: called.note })
    const running: Running = {
      options,
      writer,
      ...{ written, limit, leftOut: { count: 0 } },
      waiting: createWaitingPosts(),
      ...{ marketIndex, called, codes: codesOf(options) },
      ...{ counts: createCardCounts(countFromMs), reach: { fromMs, untilMs: 0 } },
      chains: chains.map(({ name, naming }) => ({ name, ...naming, known: marketIndex.knownOf(naming) })),
    }
    const reader = await createPostReader(log, posts, Math.min(fromMs, countFromMs))
    let forgottenAtMs = nowMs()
    while (!signal.aborted) {
      for await (const closed of reader.readOn(signal)) {
        takeIn(running, closed)
        // The waits of posts are measured by the times of later posts here, not by the clock. When old posts
        // are read, the card that answers a post may be in the next batch.
        await writeReady(running, Math.min(running.reach.untilMs, nowMs()))
        await writeCounts(running, reader.passedMs())
      }
      await writeReady(running, nowMs())
      if (nowMs() - forgottenAtMs > forgetEveryMs) {
        forgottenAtMs = nowMs()
        written.forgetBefore(forgottenAtMs - memoryMs)
        logLeftOut(running)
        await forgetCalls(running)
      }
      if (running.waiting.count() > 0) await delay(idleMs, signal)
      else await reader.waitForMore(signal)
    }
  } finally {
    await writer.close()
  }
}

function takeIn({ counts, waiting, reach }: Running, closed: readonly ReadPost[]): void {
  for (const read of closed) {
    counts.add(read)
    if (read.knownAtMs < reach.fromMs) continue
    waiting.add(read)
    reach.untilMs = Math.max(reach.untilMs, read.seenAtMs)
  }
}

async function writeReady(running: Running, untilMs: EpochMs): Promise<void> {
  const { waiting, marketIndex, chains, options } = running
  if (waiting.count() === 0) return
  await marketIndex.readOn()
  const isKnown = ({ named }: ReadPost) => areAllKnown(named, chains)
  for (;;) {
    if (options.signal.aborted) return
    const ready = waiting.take({ isKnown, isAsked: (read) => areCodesAsked(running, read) }, untilMs)
    if (ready.length === 0) return
    await write(running, ready)
  }
}

async function write(running: Running, ready: readonly ReadPost[]): Promise<void> {
  const { options, writer, written, chains, called } = running
  const atMs = options.nowMs()
  const facts: TokenFact[] = []
  for (const read of ready) {
    const named = namedTokens(read.named, chains)
    const tokens = named.length > 0 ? named : answeredToken(read, { written, chains })
    for (const fact of factsOf(read, { tokens, hasCodeOf: hasCodeIn(running, read) }, atMs)) {
      if (written.has(read, fact) || isForgotten(read, fact.fact.type) || !isAdmitted(running, read, fact)) continue
      // The fact is noted before the append, because one append may contain two versions of a post.
      written.add(read, fact, atMs)
      facts.push(fact)
    }
  }
  if (facts.length === 0) return
  const bounded = called.bounded(facts)
  await appendFollowed(running, called.followed(bounded))
  await writer.append(bounded.map((fact) => recordOf(options.chains, fact)))
}

async function writeCounts({ counts, writer, options: { posts } }: Running, untilMs: EpochMs): Promise<void> {
  const records = counts.take(untilMs).map(({ chat, data }) => ({
    ...{ topic: posts.topic.name, partition: 0, key: chat },
    value: posts.codec.encode('CardsCounted', data),
  }))
  if (records.length > 0) await writer.append(records)
}

async function forgetCalls(running: Running): Promise<void> {
  await running.marketIndex.readOn()
  await appendFollowed(running, running.called.expired(running.options.nowMs()))
}

async function appendFollowed({ writer, called }: Running, records: readonly NewRecord[]): Promise<void> {
  if (records.length === 0) return
  await writer.append(records)
  for (const { key, value } of records) called.note(key, value)
}

const codesOf = ({ chains, nowMs, signal }: MentionOptions): ReadonlyMap<string, Codes> =>
  new Map(
    chains.flatMap(({ name, readCode: read }) => (read ? [[name, createCodes({ read, nowMs, signal })] as const] : [])),
  )

/** Returns the addresses of a post that may need a contract lookup, at most as many as a post can mention tokens. */
const addressesToLookUp = ({ chains }: Running, read: ReadPost) =>
  isOnCard(read) ? [] : namedByForm(read.named, chains).slice(0, mentionsMax)

function areCodesAsked(running: Running, read: ReadPost): boolean {
  const addresses = addressesToLookUp(running, read)
  const areAsked = [...running.codes].map(([name, codes]) =>
    codes.areAsked(addresses.flatMap(({ chain, address }) => (chain === name ? [address] : []))),
  )
  return areAsked.every((isSo) => isSo)
}

function hasCodeIn(running: Running, read: ReadPost): (named: NamedToken) => boolean | null {
  const lookedUp = new Set(addressesToLookUp(running, read).map(({ chain, address }) => `${chain} ${address}`))
  return ({ chain, token, isTracked }) =>
    !isTracked && lookedUp.has(`${chain} ${token}`) ? (running.codes.get(chain)?.of(token) ?? null) : null
}

/**
 * Whether the limit allows the fact. For a card, only the limit of the chat applies. A card that names no
 * token is about the token of the answered post. That token was already allowed.
 */
function isAdmitted({ limit, leftOut }: Running, { content: { chat, poster } }: ReadPost, { named, fact }: TokenFact) {
  if (named.addresses.length === 0) return true
  const place = { chat, postedAtMs: fact.data.postedAtMs, poster: fact.type === 'Mentioned' ? poster : null }
  const isIn = limit.admits(place, named)
  if (!isIn) leftOut.count++
  return isIn
}

function logLeftOut({ options: { logger }, leftOut }: Running): void {
  const { count } = leftOut
  if (count > 0)
    logger.info({ count }, 'posts named more tokens than the limit allows. Further tokens were left out of the log')
  leftOut.count = 0
}

/**
 * For a card that names no token, returns the token of the post that the card answers. Empty if the links of
 * the card name a network that this service does not record.
 */
function answeredToken(
  read: ReadPost,
  { written, chains }: Pick<Running, 'written' | 'chains'>,
): readonly NamedToken[] {
  const { chat, replyTo } = read.content
  if (isElsewhere(read.named, chains)) return []
  const token = isAnswerOfBot(read) && replyTo !== null ? written.tokenOf(chat, replyTo) : null
  return token === null ? [] : [{ ...token, isTracked: false, source: 'text', addresses: [], count: 0 }]
}

const isForgotten = ({ editedAtMs, content }: ReadPost, type: string): boolean =>
  type === 'Mentioned' && editedAtMs !== null && editedAtMs - content.postedAtMs > editAgeMsMax

function recordOf(chains: readonly MentionedChain[], { named, fact }: TokenFact): NewRecord {
  const chain = chains.find(({ name }) => name === named.chain)
  assert(chain, 'the chain of the token is not followed')
  const { topic, codec } = chain
  return {
    topic: topic.name,
    partition: partitionOf(named.token, topic.partitionCount),
    key: named.token,
    value: codec.encode(fact.type, fact.data),
  }
}
