/**
 * A source whose next range waits until all that follows from the last one is in the log: every partition's derived
 * tick, and an answer for every question. The log's clock moves with the ranges. So the same span gives the same
 * bytes in every topic, whatever dies in between, though ingest, lookup and stage run beside each other as ever.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../../infra/log/log.ts'
import { dataOf, scan, type TypedPartition } from '../../../infra/log/scan.ts'
import { readLastTick } from '../../../infra/log/ticks.ts'
import type { IngestCodecs } from '../../../ingest/codecs.ts'
import type { ChainSource } from '../../../ingest/source.ts'
import { topics } from '../../../schemas/topics.ts'

/** As long as a lookup waits for a burst to settle: no question is asked before it is due. */
const knownAfterMs = 5_000

export type SteppedClock = { atMs: number }
type Topics = Readonly<{ log: Log; codecs: IngestCodecs }>

/** The clock stands where the log's last tick was known. */
export async function resumeClock({ log, codecs }: Topics, startMs: number): Promise<SteppedClock> {
  const tick = await readLastTick({ log, topic: 'chain-a-facts', partition: 0, codec: codecs.facts })
  return { atMs: tick?.knownAtMs ?? startMs }
}

/** `onStep` is called when all that stands is worked off, right before the next range. */
export function createStepwiseSource(
  source: ChainSource,
  { topics, clock, onStep }: Readonly<{ topics: Topics; clock: SteppedClock; onStep: () => void | Promise<void> }>,
): ChainSource {
  return {
    kind: source.kind,
    async *ranges(cursor, known, signal) {
      const settled = createSettledWait(topics)
      for await (const range of source.ranges(cursor, known, signal)) {
        await settled(signal)
        await onStep()
        if (signal.aborted) return
        clock.atMs = range.head.atMs + knownAfterMs
        yield range
      }
      await settled(signal)
    },
  }
}

type Lane = { reader: TypedPartition; offset: number; lastSeq: number; ids: Set<string> }

function createSettledWait({ log, codecs }: Topics): (signal: AbortSignal) => Promise<void> {
  const partitions = Array.from({ length: topics['chain-a-facts'].partitionCount }, (_, partition) => partition)
  const lanesOf = (topic: 'chain-a-facts' | 'chain-a-derived', codec: TypedPartition['codec']): Lane[] =>
    partitions.map((partition) => ({
      reader: { log, topic, partition, codec },
      offset: 0,
      lastSeq: 0,
      ids: new Set(),
    }))
  const facts = lanesOf('chain-a-facts', codecs.facts)
  const derived = lanesOf('chain-a-derived', codecs.derived)
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

async function readOn(lane: Lane): Promise<void> {
  lane.offset = await scan(lane.reader, lane.offset, ({ value }) => {
    const tick = dataOf<{ seq: number }>(lane.reader, 'Tick', value)
    if (tick) lane.lastSeq = tick.seq
    for (const [kind, types] of questions) {
      const named = types.map((type) => dataOf<Named>(lane.reader, type, value)).find((found) => found !== null)
      if (named) lane.ids.add(`${kind} ${named.questionId} ${named.revision}`)
    }
    return undefined
  })
}

const questions = [
  ['senders', ['SendersAsked', 'SendersAnswered']],
  ['owners', ['OwnersAsked', 'OwnersAnswered']],
] as const

type Named = Readonly<{ questionId: string; revision: number }>
