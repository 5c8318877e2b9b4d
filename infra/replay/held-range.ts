/**
 * Finds the time range that the log holds, and creates the error for a range that the log does not hold. All
 * times are knowledge times: the times at which the service learned of records.
 */
import { OperationError } from '../errors.ts'
import type { TypedPartition } from '../log/scan.ts'
import { readFirstTick, readLastTick } from '../log/ticks.ts'
import type { Range } from './instants.ts'
import type { SelectedTopic } from './replayed-topics.ts'
import { timeText } from './times.ts'

export type TopicSource = SelectedTopic & Readonly<{ partitions: readonly TypedPartition[] }>

/**
 * `held` is the time range for which the log holds the topic's records. Null if the topic has no ticks, but
 * another topic of its stage has ticks.
 */
export type HeldTopic = Readonly<{ topic: string; held: Range | null }>

/**
 * Returns the time range that the log holds for each topic whose stage has run. If all these ranges contain
 * the wanted range, the log holds all records of the wanted range.
 */
export async function heldTopics(
  sources: readonly TopicSource[],
  wholeRange: Range | undefined,
): Promise<readonly HeldTopic[]> {
  const ranges = await Promise.all(
    sources.map(async ({ partitions, stage, topic }) => ({
      stage,
      topic: topic.name,
      held: await heldOf(partitions, wholeRange),
    })),
  )
  return ranges
    .filter(({ stage }) => ranges.some((its) => its.stage === stage && its.held !== null))
    .map(({ topic, held }) => ({ topic, held }))
}

async function heldOf(partitions: readonly TypedPartition[], wholeRange: Range | undefined): Promise<Range | null> {
  const ranges = await Promise.all(partitions.map((source) => heldOfPartition(source, wholeRange)))
  const held = ranges.filter((range) => range !== null)
  return held.length < ranges.length ? null : commonRange(held)
}

/**
 * The time range that the log holds for a partition. The range ends right before the time of the last tick,
 * because the next tick may have the same time.
 */
async function heldOfPartition(source: TypedPartition, wholeRange: Range | undefined): Promise<Range | null> {
  const [first, last] = [await readFirstTick(source), await readLastTick(source)]
  if (first === null || last === null) return null
  if (wholeRange !== undefined) return wholeRange
  const { startOffset } = await source.log.bounds(source.topic, source.partition)
  // Retention can delete part of the records of the first tick. In that case, the range begins after the time
  // of that tick.
  return { from: startOffset === 0 ? first.knownAtMs : first.knownAtMs + 1, to: last.knownAtMs }
}

const commonRange = (ranges: readonly Range[]): Range => ({
  from: Math.max(...ranges.map(({ from }) => from)),
  to: Math.min(...ranges.map(({ to }) => to)),
})

/** The time range that the log holds for all topics. Null if there is none. */
export function commonHeld(held: readonly HeldTopic[]): Range | null {
  const ranges = held.map(({ held: its }) => its).filter((range) => range !== null)
  if (ranges.length === 0 || ranges.length < held.length) return null
  const common = commonRange(ranges)
  return common.from < common.to ? common : null
}

export function isHeld({ from, to }: Range, held: readonly HeldTopic[]): boolean {
  const common = commonHeld(held)
  return common !== null && common.from <= from && to <= common.to
}

/**
 * The maximum difference between the range that the log holds for one topic and the range for all topics, in
 * milliseconds. If a topic differs by more, `notHeld` lists the topics.
 */
const togetherMs = 60_000

/**
 * The error for a range that the log does not hold completely. It names the range that the log holds for all
 * topics. If the ranges of the topics differ, it also lists each topic with its range.
 */
export function notHeld({ from, to }: Range, held: readonly HeldTopic[]): OperationError {
  const common = commonHeld(held)
  const missing = `the log does not hold ${timeText(from)} to ${timeText(to)}`
  const holds =
    common === null
      ? 'Its topics have no common range'
      : `It holds ${timeText(common.from)} to ${timeText(common.to)}. Choose a range within that`
  const differ = held.some(({ held: its }) => common === null || !isNear(its, common))
  const topics = held.map(({ topic, held: its }) =>
    its === null ? `${topic}: nothing yet` : `${topic}: ${timeText(its.from)} to ${timeText(its.to)}`,
  )
  const says = held.length === 0 ? 'No chain has written to the log yet' : holds
  return new OperationError('range_not_held', `${missing}. ${says}${differ ? `. By topic: ${topics.join('; ')}` : ''}`)
}

const isNear = (held: Range | null, { from, to }: Range): boolean =>
  held !== null && Math.abs(held.from - from) < togetherMs && Math.abs(held.to - to) < togetherMs
