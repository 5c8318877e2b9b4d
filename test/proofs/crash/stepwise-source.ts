/**
 * A source that delays each range of blocks until the pipeline has processed the range before. Then each
 * partition has its derived tick, and each lookup has its answer. The log's clock moves with the ranges. So
 * the same span gives the same bytes in every topic, even if processes die.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../../infra/log/log.ts'
import { dataOf, scan, type TypedPartition } from '../../../infra/log/scan.ts'
import type { Chain } from '../../../ingest/chain.ts'
import type { IngestCodecs } from '../../../ingest/codecs.ts'
import type { ChainSource } from '../../../ingest/source.ts'
import type { Stage } from '../../../schemas/stage.ts'
import type { Tick } from '../../../schemas/tick.ts'
import type { Topic } from '../../../schemas/topics.ts'

/**
 * The time from the end of a range until the service knows the range, in milliseconds. It is at least the
 * delay of any lookup after a burst, so every lookup is already due.
 */
const knownAfterMs = 5_000

export type SteppedClock = { atMs: number }
type Stepped = Readonly<{ log: Log; codecs: IngestCodecs }>

/**
 * Returns a clock with the time at which the chain's last range was published. This is the `knownAtMs` of the
 * first tick of the range. Within a range, each further tick is known 1 ms later.
 */
export async function resumeClock(
  { log, codecs }: Stepped,
  { factTopic }: Stage,
  startMs: number,
): Promise<SteppedClock> {
  const reader = { log, topic: factTopic.name, partition: 0, codec: codecs.facts }
  let [atMs, lastMs] = [startMs, Number.NEGATIVE_INFINITY]
  await scan(reader, 0, ({ value }) => {
    const tick = dataOf<Tick>(reader, 'Tick', value)
    if (tick && tick.knownAtMs !== lastMs + 1) atMs = tick.knownAtMs
    lastMs = tick?.knownAtMs ?? lastMs
    return undefined
  })
  return { atMs }
}

/** `onStep` is called right before each range, when everything in the log is processed. It gets the end of the next range. */
export function createStepwiseSource(
  chain: Chain,
  {
    clock,
    onStep,
    ...stepped
  }: Stepped & Readonly<{ clock: SteppedClock; onStep: (nextAtMs: number) => void | Promise<void> }>,
): ChainSource {
  const { source } = chain
  return {
    kind: source.kind,
    async *ranges(cursor, known, signal) {
      const settled = createSettledWait(chain, stepped)
      for await (const range of source.ranges(cursor, known, signal)) {
        await settled(signal)
        await onStep(range.head.atMs)
        if (signal.aborted) return
        clock.atMs = range.head.atMs + knownAfterMs
        yield range
      }
      await settled(signal)
    },
  }
}

type Lane = { reader: TypedPartition; offset: number; lastSeq: number; ids: Set<string> }

function createSettledWait(
  { stage, lookups }: Pick<Chain, 'stage' | 'lookups'>,
  { log, codecs }: Stepped,
): (signal: AbortSignal) => Promise<void> {
  const partitions = Array.from({ length: stage.factTopic.partitionCount }, (_, partition) => partition)
  const lanesOf = ({ name: topic }: Topic, codec: TypedPartition['codec']): Lane[] =>
    partitions.map((partition) => ({
      reader: { log, topic, partition, codec },
      offset: 0,
      lastSeq: 0,
      ids: new Set(),
    }))
  const facts = lanesOf(stage.factTopic, codecs.facts)
  const derived = lanesOf(stage.derivedTopic, codecs.derived)
  const readOn = async (lane: Lane) => {
    lane.offset = await scan(lane.reader, lane.offset, ({ value }) => {
      const tick = dataOf<{ seq: number }>(lane.reader, 'Tick', value)
      if (tick) lane.lastSeq = tick.seq
      for (const { questionType, answerType } of lookups) {
        const named = [questionType, answerType]
          .map((type) => dataOf<Named>(lane.reader, type, value))
          .find((found) => found !== null)
        // Two kinds of lookups may have the same kind of answer. So the name of a lookup begins with the type
        // of its answer.
        if (named) lane.ids.add(`${answerType} ${named.questionId} ${named.revision}`)
      }
      return undefined
    })
  }
  return async (signal) => {
    while (!signal.aborted) {
      await Promise.all([...facts, ...derived].map(readOn))
      if (partitions.every((at) => isSettled(facts[at] as Lane, derived[at] as Lane))) return
      await sleep(2)
    }
  }
}

const isSettled = (facts: Lane, derived: Lane): boolean =>
  derived.lastSeq === facts.lastSeq && derived.ids.size === facts.ids.size

type Named = Readonly<{ questionId: string; revision: number }>
