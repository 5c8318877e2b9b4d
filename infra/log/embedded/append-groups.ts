/** One append to the embedded log. `embedded-log.ts` explains why a crash at any point does no harm. */
import type { TopicName } from '../../../schemas/topics.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { crashPoint } from '../../crash-points.ts'
import { OperationError } from '../../errors.ts'
import { type PartitionGroup, partitionId } from '../append.ts'
import { countOf, packBlocks, type UnplacedBlock } from '../pack-blocks.ts'
import { placeBlocks } from './blocks.ts'
import { dayOf } from './day-environments.ts'
import { type EmbeddedStore, isKeptByDay } from './store.ts'

type PackedGroup = Readonly<{ topic: TopicName; partition: number; blocks: readonly UnplacedBlock[] }>
type PlacedGroup = PackedGroup & Readonly<{ endOffset: number; day: string | null }>

/**
 * Appends the groups in one transaction. Calls `checkWriter` while it holds the write lock. If `checkWriter` throws,
 * nothing is written.
 */
export function appendGroups(
  store: EmbeddedStore,
  groups: readonly PartitionGroup[],
  { appendedAtMs, checkWriter }: Readonly<{ appendedAtMs: EpochMs; checkWriter: () => void }>,
): void {
  const packed = groups.map(({ topic, partition, records }) => ({
    topic,
    partition,
    blocks: packBlocks(records, appendedAtMs),
  }))
  try {
    store.main.transactionSync(() => {
      checkWriter()
      const placed = packed.map((group) => placeGroup(store, group, dayOf(appendedAtMs)))
      writeDays(store, placed)
      crashPoint('log-days-written')
      for (const group of placed) commitGroup(store, group)
      crashPoint('log-before-commit')
    })
    crashPoint('log-after-commit')
  } catch (cause) {
    if (cause instanceof OperationError) throw cause
    const partitions = groups.map(({ topic, partition }) => partitionId(topic, partition))
    throw new OperationError('log_failed', 'the embedded log could not write records. Check the disk of DATA_DIR', {
      cause,
      context: { partitions },
    })
  }
}

function placeGroup(store: EmbeddedStore, group: PackedGroup, today: string): PlacedGroup {
  const { index } = store
  const { topic, partition } = group
  const endOffset = index.endOf(topic, partition)
  if (!isKeptByDay(store, topic)) return { endOffset, day: null, ...group }
  // If the clock was set back, later offsets must not go to an earlier day.
  const last = index.lastSegment(topic, partition)?.day ?? today
  return { endOffset, day: last > today ? last : today, ...group }
}

/** Commits the blocks of each day to disk. No reader sees these blocks before the end offsets are committed. */
function writeDays({ days }: EmbeddedStore, placed: readonly PlacedGroup[]): void {
  const byDay = new Map<string, PlacedGroup[]>()
  for (const group of placed) {
    if (group.day === null) continue
    const id = `${group.topic}/${group.day}`
    byDay.set(id, [...(byDay.get(id) ?? []), group])
  }
  for (const groups of byDay.values()) {
    const { topic, day } = groups[0] as PlacedGroup & { day: string }
    const environment = days.create(topic, day)
    environment.transactionSync(() => {
      for (const group of groups) placeBlocks(environment, group, group.blocks)
    })
  }
}

function commitGroup({ main, index, topicTable }: EmbeddedStore, group: PlacedGroup): void {
  const { topic, partition, endOffset, blocks, day } = group
  index.setPartitionCount(topic, topicTable[topic]?.partitionCount ?? 0)
  if (day === null) placeBlocks(main, group, blocks)
  else if (index.lastSegment(topic, partition)?.day !== day)
    index.addSegment(topic, partition, { firstOffset: endOffset, day })
  index.setEnd(topic, partition, endOffset + countOf(blocks))
}
