/** The stream's offset in every partition of the log, as short text. This text is the id of an event. */
import type { Stage } from '../../schemas/stage.ts'
import type { PublishedTick } from './feed.ts'

export type StreamCursor = Readonly<{
  /** Sets the next offset of the partition. */
  advance(published: Pick<PublishedTick, 'stage' | 'partition'>, nextOffset: number): void
  /**
   * The next offset of every partition in base 36. Dots separate the partitions of a stage, and dashes separate the
   * stages, in their order. The text of a partition without a known offset is empty.
   */
  text(): string
}>

export function createStreamCursor(stages: readonly Stage[]): StreamCursor {
  const offsets = new Map(
    stages.map(({ name, derivedTopic }) => [name, Array<string>(derivedTopic.partitionCount).fill('')]),
  )
  return {
    advance({ stage, partition }, nextOffset) {
      const ofStage = offsets.get(stage.name)
      if (ofStage) ofStage[partition] = nextOffset.toString(36)
    },
    text: () => [...offsets.values()].map((ofStage) => ofStage.join('.')).join('-'),
  }
}
