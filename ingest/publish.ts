/** From a source's ranges to the log: the facts of a range and the tick that closes it, in one atomic append. */

import assert from 'node:assert/strict'
import { crashPoint } from '../infra/crash-points.ts'
import { OperationError } from '../infra/errors.ts'
import type { Log, LogWriter, NewRecord } from '../infra/log/log.ts'
import { partitionOf } from '../infra/log/partition-of.ts'
import { readLastTick } from '../infra/log/ticks.ts'
import type { Tick } from '../schemas/tick.ts'
import { tickKey } from '../schemas/topics.ts'
import { type AddressBook, loadAddressBook } from './address-book.ts'
import type { IngestCodecs } from './codecs.ts'
import { createKnownChain } from './known-chain.ts'
import type { BlockHeader, ChainSource, FactRange, KnownChain } from './source.ts'
import { type Slice, type SliceLimits, splitRange } from './split-range.ts'

export type EthPrice = Readonly<{ usd: number; atMs: number }>

/** Where the log stands: the block that its last tick closed, and what that tick said. */
type Cursor = BlockHeader & Readonly<{ seq: number; knownAtMs: number; ethUsd: EthPrice | null }>

export type ChainPublisher = Readonly<{
  /** Null: the log holds no tick yet. */
  cursor(): Cursor | null
  known: KnownChain
  /**
   * Appends the range: one tick, or several where it is too large for one. A range that goes back is one append with one
   * tick, however large: nobody may see what it takes back without what it puts there. Durable when it resolves.
   */
  publish(range: FactRange, ethUsd: EthPrice | null): Promise<void>
  /** Says that nothing new was known: the last block again, under a new tick. Nothing to say before the first. */
  repeat(ethUsd: EthPrice | null): Promise<void>
  close(): Promise<void>
}>

export type PublisherOptions = Readonly<{
  log: Log
  codecs: Pick<IngestCodecs, 'facts' | 'addresses'>
  partitionCount: number
  rulesVersion: string
  kind: ChainSource['kind']
  nowMs: () => number
  limits?: SliceLimits
}>

const writerId = 'ingest-chain-a'
const limitsDefault: SliceLimits = { factCountMax: 20_000, bytesMax: 4 * 1_048_576 }
const noLimits: SliceLimits = { factCountMax: Number.POSITIVE_INFINITY, bytesMax: Number.POSITIVE_INFINITY }
/** 1,200 blocks of the slowest chain, 12 s each, and time to spare: a revert may go back into a pool's life. */
const forgetAfterMs = 6 * 3_600_000

/**
 * Takes the writer's name first, so that whoever held it can add nothing behind the cursor that is read then. Fails with
 * `offset_out_of_range` when the last tick is gone from a log that held some.
 */
export async function createChainPublisher(options: PublisherOptions): Promise<ChainPublisher> {
  const { log, codecs } = options
  const writer = await log.openWriter(writerId)
  const book = await loadAddressBook(log, codecs.addresses)
  const lastTick = await readLastTick({ log, topic: 'chain-a-facts', partition: 0, codec: codecs.facts })
  let cursor = lastTick && cursorOf(lastTick)
  if (cursor === null) {
    await refuseBeginningAnew(options)
    await forgetLeftovers(writer, book)
  }

  const appendSlice = async ({ head, facts }: Slice, { ethUsd, revertedFrom }: Said) => {
    const tick = nextTick(options, { cursor, head, revertedFrom, ethUsd: ethUsd ?? cursor?.ethUsd ?? null })
    const { partitionCount } = options
    const records: NewRecord[] = facts.map(({ token, value }) => ({
      topic: 'chain-a-facts',
      partition: partitionOf(token, partitionCount),
      key: token,
      value,
    }))
    const value = codecs.facts.encode('Tick', tick)
    for (let partition = 0; partition < partitionCount; partition++)
      records.push({ topic: 'chain-a-facts', partition, key: tickKey, value })
    await writer.append(records)
    crashPoint('ingest-after-append')
    cursor = cursorOf(tick)
  }

  return {
    cursor: () => cursor,
    known: createKnownChain({ ...options, book: book.known }),
    async publish(range, ethUsd) {
      assertFollows(range, cursor)
      crashPoint('ingest-before-append')
      // Judged by what is already closed: a pool that ends within this range still has facts in it.
      const changes = book.changes(range, (cursor?.atMs ?? 0) - forgetAfterMs)
      await appendIfAny(writer, changes.records)
      crashPoint('ingest-after-addresses')
      book.remember(changes)
      const encode = ({ fact }: FactRange['facts'][number]) => codecs.facts.encode(fact.type, fact.data)
      const { revertedFrom = null } = range
      const limits = revertedFrom === null ? (options.limits ?? limitsDefault) : noLimits
      for (const slice of splitRange(range, encode, limits)) await appendSlice(slice, { ethUsd, revertedFrom })
    },
    async repeat(ethUsd) {
      if (cursor) await appendSlice({ head: cursor, facts: [] }, { ethUsd, revertedFrom: null })
    },
    close: () => writer.close(),
  }
}

/**
 * Seqs told a second time would stand for other blocks. Our own retention never takes the last tick; a broker's, or somebody
 * who removes a topic, may.
 */
async function refuseBeginningAnew({ log, partitionCount }: PublisherOptions): Promise<void> {
  for (const topic of ['chain-a-facts', 'chain-a-derived'] as const)
    for (let partition = 0; partition < partitionCount; partition++) {
      const { endOffset } = await log.bounds(topic, partition)
      if (endOffset === 0) continue
      throw new OperationError(
        'offset_out_of_range',
        `chain-a-facts holds no tick to go on from, and ${topic}/${partition} held records up to offset ${endOffset}: what ` +
          'was told last is gone, and to number anew would contradict it. Start over on another log (KAFKA_TOPIC_PREFIX, or ' +
          'DATA_DIR), then run "launch-data project --rebuild"; on Kafka, let topics expire by ingest alone (retention.ms -1)',
        { context: { topic, partition, endOffset } },
      )
    }
}

/**
 * Without a tick no fact is in the log, so what the book holds came before a first append that never did. To believe it
 * would be to tell the trades of pools whose creation is not told.
 */
async function forgetLeftovers(writer: LogWriter, book: AddressBook): Promise<void> {
  const changes = book.emptied()
  await appendIfAny(writer, changes.records)
  book.remember(changes)
}

type Said = Readonly<{ ethUsd: EthPrice | null; revertedFrom: number | null }>
type TickInput = Said & Readonly<{ cursor: Cursor | null; head: BlockHeader }>

function nextTick(options: PublisherOptions, { cursor, head, ethUsd, revertedFrom }: TickInput): Tick {
  return {
    seq: (cursor?.seq ?? 0) + 1,
    // A clock that was set back must not take back what was already known.
    knownAtMs: Math.max(options.nowMs(), cursor?.knownAtMs ?? 0),
    blockNumber: head.number,
    blockHash: head.hash,
    blockAtMs: head.atMs,
    ethUsd: ethUsd?.usd ?? null,
    ethUsdAtMs: ethUsd?.atMs ?? null,
    rulesVersion: options.rulesVersion,
    revertedFrom,
    source: options.kind,
  }
}

function cursorOf(tick: Tick): Cursor {
  const { blockNumber, blockHash, blockAtMs, seq, knownAtMs, ethUsd, ethUsdAtMs } = tick
  const price = ethUsd === null || ethUsdAtMs === null ? null : { usd: ethUsd, atMs: ethUsdAtMs }
  return { number: blockNumber, hash: blockHash, atMs: blockAtMs, seq, knownAtMs, ethUsd: price }
}

/** A source that skips, repeats or mixes up blocks would be written for ever: it stops here. */
function assertFollows(range: FactRange, cursor: Cursor | null): void {
  const { fromBlock, head, facts, revertedFrom } = range
  if (revertedFrom !== undefined) {
    assert.ok(cursor && revertedFrom <= cursor.number, 'only what was told can be taken back')
    assert.equal(fromBlock, revertedFrom, 'what is taken back must be told again')
  } else {
    if (cursor) assert.equal(fromBlock, cursor.number + 1, 'a range must follow the last tick')
    assert.ok(head.atMs >= (cursor?.atMs ?? 0), 'block times must not fall')
  }
  assert.ok(head.number >= fromBlock, 'a range holds at least one block')
  let block = fromBlock
  let logIndex = -1
  for (const { fact } of facts) {
    const { type, data } = fact
    if (data.blockNumber > block) logIndex = -1
    assert.ok(data.blockNumber >= block && data.logIndex > logIndex, 'facts must be in chain order')
    block = data.blockNumber
    // A find is told at the place of the log that it was made for, before it.
    logIndex = type === 'CurveFound' ? data.logIndex - 1 : data.logIndex
  }
  assert.ok(block <= head.number, 'facts must not lie behind the head of their range')
}

async function appendIfAny(writer: LogWriter, records: readonly NewRecord[]): Promise<void> {
  if (records.length > 0) await writer.append(records)
}
