/** Two readers of the derived records during the faults: one through our log, and one with its own Kafka client. */

import { Kafka, logLevel } from 'kafkajs'
import type { Log } from '../../../../infra/log/log.ts'
import type { IngestCodecs } from '../../../../ingest/codecs.ts'
import { isTick, type Stage } from '../../../../schemas/stage.ts'
import { tickKey } from '../../../../schemas/topics.ts'
import type { Contents } from '../../crash/contents.ts'
import { lineOf } from './lines.ts'

export type Follower = Readonly<{
  /** The last derived tick of each partition. */
  seqs(): readonly number[]
  /** The keys and bytes by partition, in the order of reading. */
  contents(): Contents
  /**
   * One sentence for each record at an offset where another record was read before, and for each record out of order.
   */
  faults(): readonly string[]
  close(): Promise<void>
}>

type Taken = Readonly<{ offset: number; key: string; value: Buffer | null }>
type Lane = { lines: string[]; offset: number; seq: number }

/** Reads through our log until the follower is closed. A failure becomes one of the follower's faults. */
export function followOurs(log: Log, codec: IngestCodecs['derived'], stage: Stage): Follower {
  const topic = stage.derivedTopic.name
  const stop = new AbortController()
  const faults: string[] = []
  const lanes = lanesOf(stage)
  const take = (partition: number, lane: Lane, record: Taken) => {
    const { offset, key, value } = record
    if (offset <= lane.offset) faults.push(`our reader saw offset ${offset} of ${partition} after ${lane.offset}`)
    lane.offset = offset
    lane.lines.push(lineOf(key, value))
    const tick = value && key === tickKey ? codec.decode(value) : null
    if (tick && isTick(tick)) lane.seq = tick.data.seq
  }
  const follow = async (partition: number, lane: Lane) => {
    let nextOffset = 0
    while (!stop.signal.aborted) {
      const position = { topic, partition, offset: nextOffset } as const
      await log.waitForAppend(position, stop.signal)
      for (const batch of await log.read(position, { signal: stop.signal })) {
        for (let at = 0; at < batch.count; at++)
          take(partition, lane, { offset: batch.offsetAt(at), key: batch.keyAt(at), value: batch.valueAt(at) })
        nextOffset = batch.nextOffset
      }
    }
  }
  const following = lanes.map((lane, partition) =>
    follow(partition, lane).catch((error) => {
      if (!stop.signal.aborted) faults.push(`our reader of ${partition} failed: ${error}`)
    }),
  )
  return {
    seqs: () => lanes.map(({ seq }) => seq),
    contents: () => contentsOf(`our reader of ${topic}`, lanes),
    faults: () => faults,
    async close() {
      stop.abort()
      await Promise.all(following)
    },
  }
}

/**
 * A plain consumer of committed records that stores its own offsets. Records that it reads again after an
 * outage of the broker must be unchanged.
 */
export async function followTheirs(
  brokers: string,
  { stage, topicPrefix }: Readonly<{ stage: Stage; topicPrefix: string }>,
): Promise<Omit<Follower, 'seqs'>> {
  const topic = stage.derivedTopic.name
  const kafka = new Kafka({
    brokers: brokers.split(','),
    logLevel: logLevel.NOTHING,
    retry: { retries: 1000, maxRetryTime: 1000 },
  })
  const consumer = kafka.consumer({ groupId: `${topicPrefix}theirs`, sessionTimeout: 6000 })
  const lanes = lanesOf(stage)
  const known = new Map<string, string>()
  const faults: string[] = []
  await consumer.connect()
  await consumer.subscribe({ topic: topicPrefix + topic, fromBeginning: true })
  await consumer.run({
    autoCommit: false,
    eachMessage: async ({ partition, message: { offset: offsetText, key, value } }) => {
      const lane = lanes[partition] as Lane
      const offset = Number(offsetText)
      const line = lineOf(key, value)
      const place = `${partition}/${offset}`
      if (offset > lane.offset) {
        lane.offset = offset
        lane.lines.push(line)
        known.set(place, line)
      } else if (known.get(place) !== line) faults.push(`a consumer saw something new at ${place} after ${lane.offset}`)
    },
  })
  return {
    contents: () => contentsOf(`a consumer of ${topic}`, lanes),
    faults: () => faults,
    close: () => consumer.disconnect(),
  }
}

const lanesOf = ({ derivedTopic }: Stage): readonly Lane[] =>
  Array.from({ length: derivedTopic.partitionCount }, () => ({ lines: [], offset: -1, seq: 0 }))

const contentsOf = (name: string, lanes: readonly Lane[]): Contents =>
  Object.fromEntries(lanes.map(({ lines }, partition) => [`${name}/${partition}`, [...lines]]))
