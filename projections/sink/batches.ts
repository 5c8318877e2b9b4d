/** Divides a stage's derived partitions into batches of whole ticks. It continues after the progress in the tables. */
import { OperationError } from '../../infra/errors.ts'
import type { DurationMs } from '../../schemas/units.ts'
import { type ClosedTick, createTickReader, type TickReader, type TickSource } from './tick-reader.ts'
import type { Batch, PartitionTicks, Progress } from './write-batch.ts'

export type BatchLimits = Readonly<{
  /** The number of rows at which a batch stops reading a partition. The tick that reaches this number is still in the batch. */
  rowCountMax: number
  tickCountMax: number
  /** The maximum wait in ms for a tick that some partitions have and others lack. Default 100. */
  lateMsMax?: DurationMs
}>

/** Normally all partitions have a new tick within about 20 ms. */
const lateMsMaxDefault = 100

export type Batches = Readonly<{
  /** The next batch. Null: the log has no further complete tick, or not yet all of an announced batch. */
  next(): Promise<Batch | null>
  /** Whether the last call reached the end of every partition. */
  isAtEnd(): boolean
  /** The offset of the next record in each partition. The caller waits until one of these records is in the log. */
  nextOffsets(): readonly Readonly<{ partition: number; offset: number }>[]
}>

type Lane = {
  reader: TickReader
  /** The seq of the last tick that was read. */
  lastSeq: number
  /** The seq of the tick at which the first batch must end, if that batch was announced before a restart. Null: no batch was announced. */
  plannedSeq: number | null
  held: ClosedTick[]
  isAtEnd: boolean
}

/**
 * The first batch repeats a batch that was announced and not confirmed before a restart (see `write-batch.ts`), once the log has all of it.
 * Fails with `determinism_broken` if the log lacks the last tick of the announced batch but has later ticks.
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

/** Reads ticks until `isLast` is true, or the log ends. */
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
 * Waits for the partitions that lack the newest tick. A tick is appended to one partition after the other. Queries see the tick only when
 * the sink has written it in all partitions. Without the wait, a tick would be divided into two batches, with more inserts and a pause in
 * between.
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
    const timeout = AbortSignal.timeout(Math.ceil(leftMs))
    const stop = signal ? AbortSignal.any([signal, timeout]) : timeout
    const nexts = late.map(({ reader }) => ({ topic, partition: reader.partition, offset: reader.offset() }))
    await Promise.all(nexts.map((next) => log.waitForAppend(next, stop)))
    for (const lane of late) await fill(lane, createLimit(limits))
  }
}

function endsAsPlanned({ held, plannedSeq, reader }: Lane): boolean {
  const seq = held.at(-1)?.tick.seq
  if (seq === undefined || plannedSeq === null || seq < plannedSeq) return false
  if (seq === plannedSeq) return true
  throw new OperationError(
    'determinism_broken',
    `a batch of partition ${reader.partition} was announced up to tick ${plannedSeq}, but the log has no such tick`,
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
  const ticks = lane.held
  lane.held = []
  return { partition: lane.reader.partition, ticks }
}
