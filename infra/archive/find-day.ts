/** Finds the records of a day in the log, and refuses a day that the log does not hold completely. */
import type { Tick } from '../../schemas/tick.ts'
import type { EpochMs } from '../../schemas/units.ts'
import { OperationError } from '../errors.ts'
import type { OpenReader } from '../log/open-log.ts'
import type { TypedPartition } from '../log/scan.ts'
import { offsetKnownAt, readFirstTick, readLastTick } from '../log/ticks.ts'
import { type Closed, ticksOf } from '../replay/instants.ts'
import { openTopic } from '../replay/read-replay.ts'
import { type ReplayedStage, type SelectedTopic, selectTopics } from '../replay/replayed-topics.ts'
import { timeText } from '../replay/times.ts'
import type { Day } from './days.ts'

export type ReadLog = Pick<OpenReader, 'log' | 'registry'>

/** A partition with the offsets after the last tick before the day, and after the last tick of the day. */
export type DayPartition = SelectedTopic & Readonly<{ source: TypedPartition; fromOffset: number; endOffset: number }>

/**
 * A running ingest writes a tick at least this often. After this time, the day of a service that was stopped gets no
 * further tick.
 */
const lastTickMsMax = 600_000

type Ends = Readonly<{ source: TypedPartition; first: Tick; last: Tick; startOffset: number }>

export type FoundDay = Readonly<{
  partitions: readonly DayPartition[]
  /** The names of the stages that stopped before the day. They have no partitions here. */
  stopped: readonly string[]
}>

/**
 * Returns the partitions of the stages that ran on this day. Fails with `range_not_held` if retention may have removed a
 * part of the day, or if a stage has not processed the whole day.
 */
export async function findDay(open: ReadLog, stages: readonly ReplayedStage[], asked: Asked): Promise<FoundDay> {
  const found = await Promise.all(stages.map((stage) => findStage(open, stage, asked)))
  return {
    partitions: found.flatMap(({ partitions }) => partitions),
    stopped: found.flatMap(({ stopped }) => stopped),
  }
}

type Asked = Readonly<{ day: Day; nowMs: EpochMs }>

async function findStage(open: ReadLog, stage: ReplayedStage, asked: Asked): Promise<FoundDay> {
  const { day } = asked
  const topics = await Promise.all(selectTopics([stage], {}).map((topic) => openTopic(topic, open)))
  const [facts = [], derived = []] = await Promise.all(
    topics.map(({ partitions }) => Promise.all(partitions.map(endsOf))),
  )
  const { name } = stage.stage
  const hasRun = hasRunOn(day, facts)
  // If the kept facts begin after the day, the log does not show whether the stage ran on it.
  const reason = hasRun
    ? (whyUnfinished(name, { facts, derived }, asked) ?? whyRemoved([...facts, ...derived], day))
    : whyRemoved(facts, day)
  if (reason !== null)
    throw new OperationError('range_not_held', `the log does not hold the whole day ${day.name}: ${reason}`)
  if (!hasRun) return { partitions: [], stopped: hasRunBefore(day, facts) ? [name] : [] }
  const partitions = await Promise.all(
    topics.flatMap(({ partitions: sources, ...topic }) =>
      sources.map(async (source) => ({
        ...{ ...topic, source },
        fromOffset: await offsetAfterTicksBefore(source, day.from),
        endOffset: await offsetAfterTicksBefore(source, day.to),
      })),
    ),
  )
  return { partitions, stopped: [] }
}

/** A record becomes known with the next tick, so a stage without a tick on this day has no record of this day. */
const hasRunOn = (day: Day, facts: readonly (Ends | null)[]): boolean =>
  facts.some((ends) => ends !== null && ends.last.knownAtMs >= day.from && ends.first.knownAtMs < day.to)

const hasRunBefore = (day: Day, facts: readonly (Ends | null)[]): boolean =>
  facts.some((ends) => ends !== null && ends.last.knownAtMs < day.from)

type StageEnds = Readonly<{ facts: readonly (Ends | null)[]; derived: readonly (Ends | null)[] }>

function whyUnfinished(name: string, { facts, derived }: StageEnds, { day, nowMs }: Asked): string | null {
  const last = oldestTick(facts)
  if (last === null) return `ingest of ${name} has not written to every partition. Try again later`
  if (last.knownAtMs < day.to && nowMs < day.to + lastTickMsMax)
    return `ingest of ${name} has only reached ${timeText(last.knownAtMs)}. Try again later`
  const processed = oldestTick(derived)
  if (processed !== null && (processed.knownAtMs >= day.to || processed.seq >= last.seq)) return null
  const until = processed === null ? 'has processed nothing of it' : `has only reached ${timeText(processed.knownAtMs)}`
  return `the stage ${name} ${until}. Run the service until the stage has caught up`
}

function whyRemoved(ends: readonly (Ends | null)[], day: Day): string | null {
  const removed = ends.find((its) => its !== null && its.startOffset > 0 && its.first.knownAtMs >= day.from)
  return removed
    ? `${removed.source.topic} begins at ${timeText(removed.first.knownAtMs)}, because retention removed earlier records. Choose a later day`
    : null
}

/** The oldest of the last ticks of the partitions. Null if a partition has no tick. */
function oldestTick(ends: readonly (Ends | null)[]): Tick | null {
  const ticks = ends.map((its) => its?.last ?? null).filter((tick) => tick !== null)
  if (ticks.length < ends.length) return null
  return ticks.reduce<Tick | null>((least, tick) => (least === null || tick.seq < least.seq ? tick : least), null)
}

async function endsOf(source: TypedPartition): Promise<Ends | null> {
  const [first, last] = [await readFirstTick(source), await readLastTick(source)]
  if (first === null || last === null) return null
  const { startOffset } = await source.log.bounds(source.topic, source.partition)
  return { source, first, last, startOffset }
}

/** The offset after the last tick that was known before this time. The start of the partition if there is none. */
async function offsetAfterTicksBefore(source: TypedPartition, knownAtMs: EpochMs): Promise<number> {
  const { signal } = new AbortController()
  let offset = await offsetKnownAt(source, knownAtMs)
  for await (const { tick, nextOffset } of ticksOf(source, { fromOffset: offset, types: new Set(), signal })) {
    if (tick.knownAtMs >= knownAtMs) break
    offset = nextOffset
  }
  return offset
}

/** The ticks of the day with their records, in the order of the log. */
export async function* ticksOfDay(
  { source, fromOffset, endOffset, types }: DayPartition,
  signal: AbortSignal,
): AsyncGenerator<Closed> {
  if (fromOffset === endOffset) return
  for await (const closed of ticksOf(source, { fromOffset, types, signal })) {
    yield closed
    if (closed.nextOffset >= endOffset) return
  }
  signal.throwIfAborted()
}
