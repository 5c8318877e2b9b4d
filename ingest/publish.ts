/**
 * Appends the facts of a source to the log, in ranges of blocks. The facts of a range and the tick (the
 * record that closes the range) are one atomic append.
 */
import { crashPoint } from '../infra/crash-points.ts'
import { OperationError } from '../infra/errors.ts'
import type { Log, LogWriter, NewRecord } from '../infra/log/log.ts'
import { partitionOf } from '../infra/log/partition-of.ts'
import { readLastTick } from '../infra/log/ticks.ts'
import type { Block } from '../schemas/stage.ts'
import { type CoinPrice, coinPriceOf, type SourceKind, type Tick } from '../schemas/tick.ts'
import { tickKey } from '../schemas/topics.ts'
import type { EpochMs } from '../schemas/units.ts'
import { type AddressBook, loadAddressBook } from './address-book.ts'
import { assertFollows } from './assert-follows.ts'
import { isAheadOfClock } from './believable-time.ts'
import type { ChainDefinition } from './chain.ts'
import type { IngestCodecs } from './codecs.ts'
import { createKnownChain } from './known-chain.ts'
import type { ChainTypes, FactRange, KnownChain } from './source.ts'
import { type Slice, type SliceLimits, splitRange } from './split-range.ts'

/** The end of the log: the block of the last tick, and the content of this tick. */
type Cursor = Block & Readonly<{ seq: number; knownAtMs: EpochMs; price: CoinPrice | null }>

export type ChainPublisher<Types extends ChainTypes = ChainTypes> = Readonly<{
  /** Returns the last block in the log, with its tick. Null if the log has no tick yet. */
  cursor(): Cursor | null
  known: KnownChain<Types['known'], Types['stage']['fact']>
  /**
   * Appends the facts of the range with one tick, or with several ticks if the range is too large for one.
   * Resolves when the records are durable. If `price` is null, the tick repeats the last price. A range with
   * `revertedFrom` removes and replaces facts. It is always one append with one tick, so that no reader sees
   * the removal without the replacement.
   */
  publish(range: FactRange<Types>, price: CoinPrice | null): Promise<void>
  /**
   * Appends another tick (the record that closes a time step) for the last block. It shows readers that
   * nothing is new. Does nothing before the first tick.
   */
  repeat(price: CoinPrice | null): Promise<void>
  /**
   * Reads from the log which tokens are called (recommended in chats), until the signal aborts. Markets of
   * these tokens are followed for longer.
   */
  followCalls(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}>

export type PublisherOptions<Types extends ChainTypes = ChainTypes> = Readonly<{
  chain: ChainDefinition<Types>
  kind: SourceKind
  log: Log
  codecs: Pick<IngestCodecs, 'facts' | 'addresses'>
  nowMs: () => EpochMs
  limits?: SliceLimits
}>

const limitsDefault: SliceLimits = { factCountMax: 20_000, bytesMax: 4 * 1_048_576 }
const noLimits: SliceLimits = { factCountMax: Number.POSITIVE_INFINITY, bytesMax: Number.POSITIVE_INFINITY }

/**
 * Creates the publisher. The writer is opened before the cursor (the last tick) is read. From then on, an
 * earlier publisher of the chain can append nothing. Fails with `offset_out_of_range` if the log has lost its
 * last tick.
 */
export async function createChainPublisher<Types extends ChainTypes>(
  options: PublisherOptions<Types>,
): Promise<ChainPublisher<Types>> {
  const { chain, log, codecs } = options
  const { stage, addressBook } = chain
  const { name: topic, partitionCount } = stage.factTopic
  const writer = await log.openWriter(`ingest-${stage.name}`)
  const lastTick = await readLastTick({ log, topic, partition: 0, codec: codecs.facts })
  let cursor = lastTick && cursorOf(lastTick)
  const believesRemovals = cursor === null || !isAheadOfClock(cursor, options.nowMs())
  const book = await loadAddressBook(log, codecs.addresses, { ...chain, believesRemovals })
  await appendIfAny(writer, book.restored)
  if (cursor === null) {
    await refuseBeginningAnew(options)
    await removeLeftovers(writer, book)
  }

  const appendSlice = async ({ head, facts }: Slice, { price, revertedFrom }: TickValues) => {
    const tick = nextTick(options, { cursor, head, revertedFrom, price: price ?? cursor?.price ?? null })
    const records: NewRecord[] = facts.map(({ key, value }) => ({
      topic,
      partition: partitionOf(key, partitionCount),
      key,
      value,
    }))
    const value = codecs.facts.encode('Tick', tick)
    for (let partition = 0; partition < partitionCount; partition++)
      records.push({ topic, partition, key: tickKey, value })
    await writer.append(records)
    crashPoint('ingest-after-append')
    cursor = cursorOf(tick)
  }

  return {
    cursor: () => cursor,
    known: createKnownChain<Types>({ chain, log, codecs, book: book.known }),
    async publish(range, price) {
      assertFollows(chain, range, cursor)
      crashPoint('ingest-before-append')
      // Entries of the address book (the list of followed addresses) expire by the time of the last closed
      // block. The end of the new range would be too late, because the range may contain facts of an entry
      // that expires within the range.
      const closedAtMs = Math.min(cursor?.atMs ?? 0, options.nowMs())
      const changes = book.changes(range, closedAtMs - addressBook.forgetAfterMs)
      await appendIfAny(writer, changes.records)
      crashPoint('ingest-after-addresses')
      book.remember(changes)
      const encode = ({ type, data }: Types['stage']['fact']) => codecs.facts.encode(type, data)
      const { revertedFrom = null } = range
      const limits = revertedFrom === null ? (options.limits ?? limitsDefault) : noLimits
      for (const slice of splitRange(range, { stage, encode, limits }))
        await appendSlice(slice, { price, revertedFrom })
    },
    async repeat(price) {
      if (cursor) await appendSlice({ head: cursor, facts: [] }, { price, revertedFrom: null })
    },
    followCalls: book.followCalls,
    close: () => writer.close(),
  }
}

/**
 * Throws if the last tick of the log was deleted. Otherwise ticks would be numbered from 1 again and reuse
 * the numbers of earlier ticks. This service never deletes the last tick, but the broker or an operator may.
 */
async function refuseBeginningAnew({ chain, log }: Pick<PublisherOptions, 'chain' | 'log'>): Promise<void> {
  const { factTopic, derivedTopic } = chain.stage
  // A start offset above 0 shows that records were deleted. An end offset above 0 shows nothing, because
  // other writers may append facts before the first tick. Every tick is in all partitions, so a look at
  // partition 0 is enough.
  const { startOffset } = await log.bounds(factTopic.name, 0)
  if (startOffset > 0)
    throw tickIsGone(factTopic.name, { topic: factTopic.name, partition: 0, untilOffset: startOffset })
  for (let partition = 0; partition < factTopic.partitionCount; partition++) {
    const { endOffset } = await log.bounds(derivedTopic.name, partition)
    if (endOffset > 0) throw tickIsGone(factTopic.name, { topic: derivedTopic.name, partition, untilOffset: endOffset })
  }
}

function tickIsGone(factTopic: string, held: Readonly<{ topic: string; partition: number; untilOffset: number }>) {
  const { topic, partition, untilOffset } = held
  return new OperationError(
    'offset_out_of_range',
    `${factTopic} has no tick to continue from, but ${topic}/${partition} had records up to offset ${untilOffset}. ` +
      'The last tick was removed. New tick numbers would contradict the old numbers. Start over with another log ' +
      '(KAFKA_TOPIC_PREFIX or DATA_DIR), then run "launch-data project --rebuild". On Kafka, set retention.ms of ' +
      'the topics to -1, so that only ingest removes records',
    { context: held },
  )
}

/**
 * Removes all entries of the address book (the list of followed addresses). In a log without a tick, the
 * entries come from a first publication that failed. If they stayed, ingest would publish facts of addresses
 * whose creation is not in the log.
 */
async function removeLeftovers<Types extends ChainTypes>(writer: LogWriter, book: AddressBook<Types>): Promise<void> {
  const changes = book.emptied()
  await appendIfAny(writer, changes.records)
  book.remember(changes)
}

type TickValues = Readonly<{ price: CoinPrice | null; revertedFrom: number | null }>
type TickInput = TickValues & Readonly<{ cursor: Cursor | null; head: Block }>

function nextTick(
  { chain, kind, nowMs }: Pick<PublisherOptions, 'chain' | 'kind' | 'nowMs'>,
  { cursor, head, price, revertedFrom }: TickInput,
): Tick {
  return {
    seq: (cursor?.seq ?? 0) + 1,
    // `knownAtMs` rises with each tick, even if the clock is set back. So when a tick is in the database
    // tables, everything with an earlier or equal `knownAtMs` is there too.
    knownAtMs: Math.max(nowMs(), (cursor?.knownAtMs ?? -1) + 1),
    blockNumber: head.number,
    blockHash: head.hash,
    blockAtMs: head.atMs,
    ethUsd: price?.usd ?? null,
    ethUsdAtMs: price?.atMs ?? null,
    rulesVersion: chain.stage.rulesVersion,
    revertedFrom,
    source: kind,
  }
}

function cursorOf(tick: Tick): Cursor {
  const { blockNumber, blockHash, blockAtMs, seq, knownAtMs } = tick
  return { number: blockNumber, hash: blockHash, atMs: blockAtMs, seq, knownAtMs, price: coinPriceOf(tick) }
}

async function appendIfAny(writer: LogWriter, records: readonly NewRecord[]): Promise<void> {
  if (records.length > 0) await writer.append(records)
}
