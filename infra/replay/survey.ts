/**
 * Counts the records and bytes of a replay without decoding the records. Reports the time ranges that the log
 * holds, and the gaps in which no new block became known.
 */
import { type BlockGap, createBlockGaps } from './block-gaps.ts'
import type { HeldTopic } from './held-range.ts'
import { type Instant, instantsOf, type StoredRecord } from './instants.ts'
import type { HeldReplay, ReplayPartition } from './read-replay.ts'

type TypeCount = Readonly<{ topic: string; type: string; records: number; bytes: number }>

type StageGap = Readonly<{ stage: string }> & BlockGap

export type Survey = Readonly<{ counts: readonly TypeCount[]; held: readonly HeldTopic[]; gaps: readonly StageGap[] }>

/**
 * Counts the records of a replay. `bytes` counts keys and values. A tick counts only one time for each stage,
 * because a replay returns it only one time.
 */
export async function surveyReplay({ reading, partitions, held }: HeldReplay): Promise<Survey> {
  const counts = new Map<string, { topic: string; type: string; records: number; bytes: number }>()
  const gaps: StageGap[] = []
  const count = (topic: string, { batch, index, type }: StoredRecord) => {
    const id = `${topic} ${type}`
    const its = counts.get(id) ?? { topic, type, records: 0, bytes: 0 }
    counts.set(id, its)
    its.records++
    its.bytes += batch.valueEndAt(index) - batch.valueStartAt(index) + Buffer.byteLength(batch.keyAt(index))
  }
  const clocks = clockPartitions(partitions)
  for (const partition of partitions) {
    const { types, source, fromOffset, topic, stage } = partition
    const isClock = clocks.has(partition)
    const isWhole = reading.open.wholeRange !== undefined
    const wanted = { ...reading.range, fromOffset, types, isWhole, signal: reading.signal }
    const blockGaps = createBlockGaps(reading.range.from)
    for await (const instant of instantsOf(source, wanted)) {
      for (const stored of countedIn(instant, isClock && types.has('Tick'))) count(topic.name, stored)
      for (const { tick } of instant.ticks) blockGaps.note(tick)
    }
    if (isClock) gaps.push(...blockGaps.until(reading.range.to).map((gap) => ({ stage: stage.name, ...gap })))
  }
  return { counts: [...counts.values()], held, gaps }
}

/** Returns one partition for each stage. A replay takes the ticks of the stage from this partition. */
const clockPartitions = (partitions: readonly ReplayPartition[]): ReadonlySet<ReplayPartition> => {
  const first = new Map<string, ReplayPartition>()
  for (const partition of [...partitions].sort((left, right) => (left.topic.name < right.topic.name ? -1 : 1)))
    if (!first.has(partition.stage.name)) first.set(partition.stage.name, partition)
  return new Set(first.values())
}

const countedIn = ({ records, ticks }: Instant, withTicks: boolean): readonly StoredRecord[] =>
  withTicks ? [...records, ...ticks.map(({ stored }) => stored)] : records
