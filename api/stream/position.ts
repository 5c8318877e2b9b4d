/** Where a client of the stream is in every partition of the log, as short text. */
import type { Stage } from '../../schemas/stage.ts'
import type { PublishedTick } from './feed.ts'

export type Position = Readonly<{
  /** Past a record of a partition. */
  advance(published: Pick<PublishedTick, 'stage' | 'partition'>, nextOffset: number): void
  /**
   * The next offset of every partition in base 36: dots between the partitions of a stage, dashes between stages, in their
   * order. A partition that was not heard of yet is empty.
   */
  text(): string
}>

export function createPosition(stages: readonly Stage[]): Position {
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
