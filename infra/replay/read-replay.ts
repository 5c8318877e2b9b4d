/**
 * Reads the records that the service learned in a time range, in the total order of `in-order.ts`. Each
 * record is read only one time.
 */
import { createHash } from 'node:crypto'
import { isMark, type StageRecord } from '../../schemas/stage.ts'
import type { BlockNumber, DurationMs, EpochMs } from '../../schemas/units.ts'
import { createSchemaCodec } from '../codec/schema-codec.ts'
import { OperationError } from '../errors.ts'
import type { OpenReader } from '../log/open-log.ts'
import type { TypedPartition } from '../log/scan.ts'
import { offsetKnownAt, readLastTick } from '../log/ticks.ts'
import { commonHeld, type HeldTopic, heldTopics, isHeld, notHeld, type TopicSource } from './held-range.ts'
import { compareInInstant, type InstantOf, mergeInstants, noPlace, type Place, type RankedRecord } from './in-order.ts'
import { type Instant, instantsOf, type Range, type StoredRecord } from './instants.ts'
import { canonicalText, jsonOf, type ReplayedRecord } from './replayed-record.ts'
import type { SelectedTopic } from './replayed-topics.ts'

export type ReplayClock = Readonly<{
  nowMs(): EpochMs
  /** Waits for this duration. Also resolves when the signal aborts. */
  delay(durationMs: DurationMs, signal: AbortSignal): Promise<void>
}>

export type Reading = Readonly<{
  open: Pick<OpenReader, 'log' | 'registry' | 'holdFrom' | 'wholeRange'>
  topics: readonly SelectedTopic[]
  range: Range
  clock: ReplayClock
  signal: AbortSignal
  /** Called one time before `findRange` waits for the log to reach the end of the range. */
  onWait?: (until: number) => void
}>

/** A replay whose range the log holds, with the partitions from which the range is read. */
export type HeldReplay = Readonly<{
  reading: Reading
  held: readonly HeldTopic[]
  partitions: readonly ReplayPartition[]
}>

/** A partition with the offsets at which the range begins and ends. */
export type ReplayPartition = SelectedTopic &
  Readonly<{ source: TypedPartition; fromOffset: number; endOffset: number; finalBlock: BlockNumber }>

export type ReplayEnd = Readonly<{ from: number; to: number; records: number; sha256: string }>

/**
 * Finds the partitions and offsets of a range. If the end of the range is not in the future, waits while the
 * log still grows towards this end. Fails with `range_not_held` if the log does not hold the range. The error
 * names the held range.
 */
export async function findRange(reading: Reading): Promise<HeldReplay> {
  const { topics, open, range } = reading
  if (!(range.from < range.to))
    throw new OperationError('config_invalid', 'the start of a replay must be before its end. Correct --from and --to')
  const sources = await Promise.all(topics.map((topic) => openTopic(topic, open)))
  const held = await untilHeld(sources, reading)
  const ofStages = new Set(held.map(({ topic }) => topic))
  const partitions = await Promise.all(
    sources
      .filter(({ topic }) => ofStages.has(topic.name))
      .flatMap(({ partitions, ...topic }) => partitions.map((source) => openPartition({ ...topic, source }, range))),
  )
  return { reading, held, partitions }
}

export async function openTopic(
  selected: SelectedTopic,
  { log, registry }: Pick<OpenReader, 'log' | 'registry'>,
): Promise<TopicSource> {
  const { topic } = selected
  const codec = await createSchemaCodec<StageRecord>(topic, registry)
  const partitionOf = (partition: number) => ({ log, topic: topic.name, partition, codec })
  return { ...selected, partitions: Array.from({ length: topic.partitionCount }, (_, index) => partitionOf(index)) }
}

async function openPartition(
  partition: SelectedTopic & Readonly<{ source: TypedPartition }>,
  range: Range,
): Promise<ReplayPartition> {
  const { source, reorgBlocksMax } = partition
  const last = await readLastTick(source)
  return {
    ...partition,
    fromOffset: await offsetKnownAt(source, range.from),
    endOffset: await offsetKnownAt(source, range.to),
    finalBlock: (last?.blockNumber ?? 0) - reorgBlocksMax,
  }
}

const pollMs = 250
/**
 * The maximum time for which `findRange` waits for a new tick, in milliseconds. A running service writes a
 * tick every second, even if nothing happens.
 */
const standstillMsMax = 15_000

async function untilHeld(sources: readonly TopicSource[], reading: Reading): Promise<readonly HeldTopic[]> {
  const { range, clock, signal, onWait } = reading
  let reached = Number.NEGATIVE_INFINITY
  let movedAtMs = clock.nowMs()
  for (let isFirst = true; ; isFirst = false) {
    const held = await heldTopics(sources, reading.open.wholeRange)
    if (isHeld(range, held) || signal.aborted) return held
    const common = commonHeld(held)
    const mayCome = common !== null && common.from <= range.from && range.to <= clock.nowMs()
    if (common !== null && common.to > reached) {
      reached = common.to
      movedAtMs = clock.nowMs()
    }
    if (!mayCome || clock.nowMs() - movedAtMs > standstillMsMax) throw notHeld(range, held)
    if (isFirst) onWait?.(range.to)
    await clock.delay(pollMs, signal)
  }
}

export type ReplayProgress = Readonly<{
  knownAt: number
  /** The event time (such as the time of the block) of the last record that has an event time. */
  eventAt: number | null
  records: number
  /** The share of the records of the range that has been read, from 0 to 1. */
  share: number
}>

type ReadOptions = Readonly<{
  /**
   * The number of seconds of recorded time that the replay covers in 1 s of real time. Infinity if the replay
   * runs as fast as possible.
   */
  speed: number
  onProgress?: (progress: ReplayProgress) => void
  /**
   * Called with the records of each instant before they are returned. The replay continues when the call
   * resolves.
   */
  onInstant?: (due: readonly InstantOf<ReplayPartition>[]) => Promise<void>
}>

/**
 * Retention may delete a record that was appended more than this time before the instant that is being
 * replayed, in milliseconds. A tick comes seconds after its records, so the replay has already read these
 * records.
 */
const appendedBeforeMs = 3_600_000
const holdEveryMs = 600_000

/** A record with the JSON of its data. The SHA-256 of the replay is computed from this JSON. */
export type ReadRecord = Readonly<{ record: ReplayedRecord; dataJson: string }>

/** Yields the records of the range. Returns null if the signal aborts before the end. */
export async function* readReplay(
  { reading, partitions }: HeldReplay,
  { speed, onProgress, onInstant }: ReadOptions,
): AsyncGenerator<ReadRecord, ReplayEnd | null> {
  const { range, signal, clock, open } = reading
  const startedAtMs = clock.nowMs()
  const hash = createHash('sha256')
  const shareOf = measureShare(partitions)
  let records = 0
  let eventAt: number | null = null
  let heldFrom = Number.NEGATIVE_INFINITY
  const parts = partitions.map((partition) => ({
    source: partition,
    instants: instantsOf(partition.source, {
      ...range,
      fromOffset: partition.fromOffset,
      types: partition.types,
      signal,
      isWhole: open.wholeRange !== undefined,
    }),
  }))
  for await (const due of mergeInstants(parts)) {
    const knownAt = due[0]?.instant.knownAt ?? range.from
    if (knownAt - heldFrom > holdEveryMs) {
      heldFrom = knownAt
      open.holdFrom(knownAt - appendedBeforeMs)
    }
    const dueAtMs = startedAtMs + (knownAt - range.from) / speed
    if (dueAtMs > clock.nowMs()) await clock.delay(dueAtMs - clock.nowMs(), signal)
    if (signal.aborted) return null
    await onInstant?.(due)
    for (const { record } of recordsOf(due)) {
      if (signal.aborted) return null
      eventAt = record.eventAt ?? eventAt
      const dataJson = jsonOf(record.data)
      hash.update(`${canonicalText(record, dataJson)}\n`)
      records++
      yield { record, dataJson }
    }
    onProgress?.({ knownAt, eventAt, records, share: shareOf(due) })
  }
  return signal.aborted ? null : { ...range, records, sha256: hash.digest('hex') }
}

function measureShare(partitions: readonly ReplayPartition[]) {
  const total = partitions.reduce((sum, { fromOffset, endOffset }) => sum + Math.max(0, endOffset - fromOffset), 0)
  const read = new Map<ReplayPartition, number>()
  let sum = 0
  return (due: readonly InstantOf<ReplayPartition>[]): number => {
    for (const { source, instant } of due) {
      const now = instant.nextOffset - source.fromOffset
      sum += now - (read.get(source) ?? 0)
      read.set(source, now)
    }
    return total === 0 ? 1 : Math.min(1, sum / total)
  }
}

/**
 * The records of one instant, in order. Every partition of a stage has the same tick, but the result contains
 * that tick only one time.
 */
function recordsOf(due: readonly InstantOf<ReplayPartition>[]): readonly RankedRecord[] {
  const ranked = due.flatMap(({ source, instant }) => [
    ...instant.records.map((stored) => rankedRecord(source, instant, stored)),
    ...(source.types.has('Tick')
      ? instant.ticks.map(({ tick, stored }) =>
          rankedRecord(source, instant, { ...stored, tickBlock: tick.blockNumber }),
        )
      : []),
  ])
  const seen = new Set<string>()
  const stageOf = new Map(due.map(({ source }) => [source.topic.name, source.stage.name]))
  return ranked.sort(compareInInstant).filter(({ record }) => {
    if (record.type !== 'Tick') return true
    const id = `${stageOf.get(record.topic)} ${record.data.seq}`
    return !seen.has(id) && seen.add(id)
  })
}

function rankedRecord(
  replayed: ReplayPartition,
  { knownAt }: Instant,
  stored: StoredRecord & Readonly<{ tickBlock: BlockNumber }>,
) {
  const { batch, index, tickBlock } = stored
  const { topic, partition, codec } = replayed.source
  const decoded = codec.decode(batch.valueAt(index) as Buffer)
  const { rank, place, eventAt, block } = placeOf(replayed, decoded, tickBlock)
  const record = {
    topic,
    type: decoded.type,
    key: batch.keyAt(index),
    partition,
    offset: batch.offsetAt(index),
    eventAt,
    knownAt,
    publishedAt: batch.timestampMsAt(index),
    isFinal: block <= replayed.finalBlock,
    data: decoded.data,
  }
  // The topic's schemas encoded the record, so it has this type.
  return { rank, place, record: record as unknown as ReplayedRecord }
}

type Placed = Pick<RankedRecord, 'rank' | 'place'> & Readonly<{ eventAt: number | null; block: number }>

/** The place of a record in the total order, and its event time. `tickBlock` is the block of the tick after the record. */
export function placeOf(
  { isFacts, stage }: Pick<SelectedTopic, 'isFacts' | 'stage'>,
  record: StageRecord,
  tickBlock: BlockNumber,
): Placed {
  const { type, data } = record
  if (type === 'Tick') {
    const { blockAtMs, blockNumber } = data as Readonly<{ blockAtMs: EpochMs; blockNumber: BlockNumber }>
    return { rank: 2, place: [blockAtMs, blockNumber, 0, 0], eventAt: blockAtMs, block: blockNumber }
  }
  if (!isFacts) {
    const { atMs } = isMark(record) ? record.data : stage.rowKeyOf(record)
    return { rank: 1, place: noPlace, eventAt: atMs === 0 ? null : atMs, block: tickBlock }
  }
  if (stage.isAnswer(record)) return { rank: 0, place: noPlace, eventAt: answerAt(data), block: tickBlock }
  const { number, atMs } = stage.blockOf(record)
  return { rank: 0, place: placeIn(data, number, atMs), eventAt: lateAt(data) ?? atMs, block: number }
}

/** The time at which a late fact happened, which is before the block with which it was published. Null for all other facts. */
const lateAt = (fact: object): EpochMs | null =>
  (fact as Partial<Readonly<{ lateAtMs: EpochMs | null }>>).lateAtMs ?? null

function placeIn(fact: object, number: number, atMs: EpochMs): Place {
  const { txIndex = 0, logIndex = 0 } = fact as Partial<Readonly<{ txIndex: number; logIndex: number }>>
  return [atMs, number, txIndex, logIndex]
}

/**
 * The event time of an answer to a lookup. A chat answer has the time of the post or of its edit. Any other
 * answer has the time at which it was given.
 */
function answerAt(answer: object): number | null {
  const { editedAtMs, postedAtMs, answeredAtMs } = answer as Partial<
    Readonly<{ editedAtMs: EpochMs | null; postedAtMs: EpochMs; answeredAtMs: EpochMs }>
  >
  return editedAtMs ?? postedAtMs ?? answeredAtMs ?? null
}
