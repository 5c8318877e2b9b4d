/**
 * Divides the derived partitions of a stage into batches of whole ticks for the tables. The first batch
 * begins after the last tick that is in the tables.
 */
import { OperationError } from '../../infra/errors.ts'
import { limited } from '../../infra/limited.ts'
import type { DurationMs } from '../../schemas/units.ts'
import type { Projection } from '../projection.ts'
import type { LastKnown } from '../recent-writes.ts'
import { type ClosedTick, createTickReader, type TickReader, type TickSource } from './tick-reader.ts'
import type { Batch, PartitionTicks, Progress } from './write-batch.ts'

export type BatchLimits = Readonly<{
  /**
   * The number of rows at which a batch stops reading a partition. The tick that reaches this number is still
   * part of the batch.
   */
  rowCountMax: number
  tickCountMax: number
  /**
   * The maximum wait for a tick that is in some partitions but not yet in others, in milliseconds. The
   * default is 100.
   */
  lateMsMax?: DurationMs
}>

/** Normally all partitions have a new tick within about 20 ms. */
const lateMsMaxDefault = 100

export type Batches = Readonly<{
  /**
   * Returns the next batch. Returns null if the log has no further complete tick. Also returns null if a
   * batch was announced before a restart and the log has only a part of it.
   */
  next(): Promise<Batch | null>
  /** Returns whether the last call of `next` reached the end of every partition. */
  isAtEnd(): boolean
  /**
   * Returns the offset of the next record in each partition. The caller waits until one of these records is
   * in the log.
   */
  nextOffsets(): readonly Readonly<{ partition: number; offset: number }>[]
}>

type Lane = {
  reader: TickReader
  /** The sequence number of the last tick that was read. */
  lastSeq: number
  /**
   * A batch is announced before it is written. If such a batch was unfinished at a restart, this is the
   * sequence number of its last tick. Null if there was no such batch.
   */
  plannedSeq: number | null
  lastKnown: LastKnown
  held: ClosedTick[]
  isAtEnd: boolean
}

/**
 * Creates the batches. A batch is announced before it is written, and confirmed afterwards. If a batch was
 * not confirmed before a restart, the first batch repeats it (see `write-batch.ts`). This needs all ticks of
 * the announced batch in the log. Fails with `determinism_broken` if the log lacks the last of these ticks
 * but has later ticks.
 */
export function createBatches(
  source: TickSource,
  progress: ReadonlyMap<number, Progress>,
  limits: BatchLimits,
): Batches {
  const topic = source.projection.stage.derivedTopic
  const lanes: Lane[] = Array.from({ length: topic.partitionCount }, (_, partition) => ({
    reader: createTickReader(source, partition, progress.get(partition)?.done?.nextOffset ?? 0),
    lastSeq: progress.get(partition)?.done?.seq ?? 0,
    plannedSeq: progress.get(partition)?.plannedSeq ?? null,
    lastKnown: lastKnownSoFar(source.projection, progress.get(partition)?.done ?? null),
    held: [],
    isAtEnd: false,
  }))
  const handOutAll = (full: readonly Lane[]): Batch => ({
    projection: source.projection,
    parts: full.map(handOut),
  })

  const nextPlanned = async (planned: readonly Lane[]): Promise<Batch | null> => {
    for (const lane of planned) {
      if (!endsAsPlanned(lane)) await fill(lane, ({ tick }) => tick.seq >= Number(lane.plannedSeq))
      if (!endsAsPlanned(lane)) return null
    }
    for (const lane of planned) lane.plannedSeq = null
    return handOutAll(planned)
  }

  return {
    async next() {
      const planned = lanes.filter((lane) => lane.plannedSeq !== null)
      if (planned.length > 0) return nextPlanned(planned)
      for (const lane of lanes) await fill(lane, createLimit(limits))
      await fillLate(lanes, source, limits)
      const filled = lanes.filter((lane) => lane.held.length > 0)
      return filled.length > 0 ? handOutAll(filled) : null
    },
    isAtEnd: () => lanes.every((lane) => lane.isAtEnd),
    nextOffsets: () => lanes.map(({ reader }) => ({ partition: reader.partition, offset: reader.offset() })),
  }
}

/** Reads ticks until `isLast` is true for a tick, or until the log ends. */
async function fill(lane: Lane, isLast: (tick: ClosedTick) => boolean): Promise<void> {
  for (;;) {
    const tick = await lane.reader.next()
    lane.isAtEnd = tick === null
    if (tick) {
      lane.held.push(tick)
      lane.lastSeq = tick.tick.seq
    }
    if (!tick || isLast(tick)) return
  }
}

/**
 * Waits for the partitions that do not have the newest tick yet. A tick is appended to one partition after
 * the other, and queries see a tick only after its rows of all partitions are written. Without the wait, a
 * tick would be divided into two batches. This would cause more inserts and a pause between the batches.
 */
async function fillLate(
  lanes: readonly Lane[],
  { log, projection, signal }: TickSource,
  limits: BatchLimits,
): Promise<void> {
  const topic = projection.stage.derivedTopic.name
  const untilMs = performance.now() + (limits.lateMsMax ?? lateMsMaxDefault)
  while (!signal?.aborted) {
    const newestSeq = Math.max(...lanes.map(({ lastSeq }) => lastSeq))
    const late = lanes.filter(({ isAtEnd, lastSeq }) => isAtEnd && lastSeq < newestSeq)
    const leftMs = untilMs - performance.now()
    if (late.length === 0 || leftMs <= 0) return
    const wait = limited(signal ? [signal] : [], Math.ceil(leftMs))
    const nexts = late.map(({ reader }) => ({ topic, partition: reader.partition, offset: reader.offset() }))
    await Promise.all(nexts.map((next) => log.waitForAppend(next, wait.signal))).finally(wait.release)
    for (const lane of late) await fill(lane, createLimit(limits))
  }
}

function endsAsPlanned({ held, plannedSeq, reader }: Lane): boolean {
  const seq = held.at(-1)?.tick.seq
  if (seq === undefined || plannedSeq === null || seq < plannedSeq) return false
  if (seq === plannedSeq) return true
  throw new OperationError(
    'determinism_broken',
    `the tables announce a batch of partition ${reader.partition} up to tick ${plannedSeq}, but the log has no such tick. Run "launch-data project --rebuild"`,
    { context: { partition: reader.partition, plannedSeq, seq } },
  )
}

function createLimit({ rowCountMax, tickCountMax }: BatchLimits) {
  let rowCount = 0
  let tickCount = 0
  return ({ rows }: ClosedTick): boolean => {
    rowCount += rows.length
    tickCount += 1
    return rowCount >= rowCountMax || tickCount >= tickCountMax
  }
}

function handOut(lane: Lane): PartitionTicks {
  const { held: ticks, reader } = lane
  const lastKnown = { ...lane.lastKnown }
  for (const { tick, rows } of ticks)
    for (const { table } of rows) if (table.name in lastKnown) lastKnown[table.name] = tick.knownAtMs
  lane.held = []
  lane.lastKnown = lastKnown
  return { partition: reader.partition, ticks, lastKnown }
}

/**
 * Returns the times up to the last confirmed batch. If an earlier version wrote this batch, it may have
 * written to any table.
 */
function lastKnownSoFar({ tables }: Projection, done: Progress['done']): LastKnown {
  const ifUnknown = done?.knownAtMs ?? 0
  return Object.fromEntries(tables.map(({ name }) => [name, done?.lastKnown[name] ?? ifUnknown]))
}
