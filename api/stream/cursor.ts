/**
 * A cursor is the next offset of every partition of the stream's topics, as short text. The id of an event is the
 * cursor after the event. So it also tells the place inside a tick.
 */
import type { Stage } from '../../schemas/stage.ts'
import type { PublishedTick } from './published-ticks.ts'

/** A partition of the stream. The offsets of a cursor are in the order of the places. */
export type Place = Readonly<{ stage: Stage; partition: number }>

/** The next offset of each place. */
export type Cursor = readonly number[]

/** Returns the partitions of the stages, in order. */
export const placesOf = (stages: readonly Stage[]): readonly Place[] =>
  stages.flatMap((stage) =>
    Array.from({ length: stage.derivedTopic.partitionCount }, (_, partition) => ({ stage, partition })),
  )

export type StreamCursor = Readonly<{
  /** Sets the next offset of the partition. */
  advance(published: Pick<PublishedTick, 'stage' | 'partition'>, nextOffset: number): void
  text(): string
}>

/** Creates a cursor that moves. At first, no offset is known. */
export function createStreamCursor(stages: readonly Stage[]): StreamCursor {
  const write = createCursorText(stages)
  const firstOf = new Map<string, number>()
  for (const [index, { stage, partition }] of placesOf(stages).entries())
    if (partition === 0) firstOf.set(stage.name, index)
  const offsets = Array<number | null>(placesOf(stages).length).fill(null)
  return {
    advance({ stage, partition }, nextOffset) {
      const first = firstOf.get(stage.name)
      if (first !== undefined) offsets[first + partition] = nextOffset
    },
    text: () => write(offsets),
  }
}

/**
 * Returns a function that writes a cursor. Its offsets are in base 36. Dots separate the partitions of a stage, and
 * dashes separate the stages, in their order. The text of an unknown offset is empty.
 */
export function createCursorText(stages: readonly Stage[]): (offsets: readonly (number | null)[]) => string {
  const counts = stages.map(({ derivedTopic }) => derivedTopic.partitionCount)
  return (offsets) => {
    let first = 0
    return counts
      .map((count) => {
        const ofStage = offsets.slice(first, first + count)
        first += count
        return ofStage.map((offset) => offset?.toString(36) ?? '').join('.')
      })
      .join('-')
  }
}

/** The largest safe integer has eleven digits in base 36. */
const offsetDigitsMax = 11
const offsetPattern = /^(?:0|[1-9a-z][0-9a-z]{0,10})$/

/** Reads a cursor. Returns null if an offset is missing or if the text is not a cursor of these stages. */
export function parseCursor(text: string, stages: readonly Stage[]): Cursor | null {
  const longest = placesOf(stages).length * (offsetDigitsMax + 1)
  if (text.length > longest) return null
  const groups = text.split('-').map((group) => group.split('.'))
  if (groups.length !== stages.length) return null
  if (groups.some((group, index) => group.length !== stages[index]?.derivedTopic.partitionCount)) return null
  const offsets = groups.flat().map((each) => (offsetPattern.test(each) ? Number.parseInt(each, 36) : Number.NaN))
  return offsets.every(Number.isSafeInteger) ? offsets : null
}
