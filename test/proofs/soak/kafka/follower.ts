/** Two who read what the workers derive while they are disturbed: one through our log, one with a client of its own. */

import { Kafka, logLevel } from 'kafkajs'
import type { Log } from '../../../../infra/log/log.ts'
import type { IngestCodecs } from '../../../../ingest/codecs.ts'
import { isTick } from '../../../../schemas/stage.ts'
import { tickKey, topics } from '../../../../schemas/topics.ts'
import type { Contents } from '../../crash/contents.ts'

const topic = 'chain-a-derived'
const partitions = Array.from({ length: topics['chain-a-facts'].partitionCount }, (_, partition) => partition)

export type Follower = Readonly<{
  /** The last tick derived, by partition. */
  seqs(): readonly number[]
  /** Keys and bytes by partition, in the order in which they were handed out. */
  contents(): Contents
  /** One sentence for each record that was handed out where another had been, or before one that had been. */
  faults(): readonly string[]
  close(): Promise<void>
}>

type Taken = Readonly<{ offset: number; key: string; value: Buffer | null }>
type Lane = { lines: string[]; offset: number; seq: number }

/** Reads on through our log until it is closed; throws nothing, a failure is one of its faults. */
export function followOurs(log: Log, codec: IngestCodecs['derived']): Follower {
  const stop = new AbortController()
  const faults: string[] = []
  const lanes = partitions.map((): Lane => ({ lines: [], offset: -1, seq: 0 }))
  const take = (partition: number, lane: Lane, record: Taken) => {
    const { offset, key, value } = record
    if (offset <= lane.offset) faults.push(`our reader saw offset ${offset} of ${partition} after ${lane.offset}`)
    lane.offset = offset
    lane.lines.push(`${key} ${value?.toString('hex')}`)
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
    contents: () => contentsOf('our reader', lanes),
    faults: () => faults,
    async close() {
      stop.abort()
      await Promise.all(following)
    },
  }
}

/**
 * A consumer of committed records as anyone would write one, which keeps its offsets itself: what the client hands out
 * again after a broker was away must be what it was.
 */
export async function followTheirs(brokers: string, topicPrefix: string): Promise<Omit<Follower, 'seqs'>> {
  const kafka = new Kafka({
    brokers: brokers.split(','),
    logLevel: logLevel.NOTHING,
    retry: { retries: 1000, maxRetryTime: 1000 },
  })
  const consumer = kafka.consumer({ groupId: `${topicPrefix}theirs`, sessionTimeout: 6000 })
  const lanes = partitions.map((): Lane => ({ lines: [], offset: -1, seq: 0 }))
  const known = new Map<string, string>()
  const faults: string[] = []
  await consumer.connect()
  await consumer.subscribe({ topic: topicPrefix + topic, fromBeginning: true })
  await consumer.run({
    autoCommit: false,
    eachMessage: async ({ partition, message: { offset: offsetText, key, value } }) => {
      const lane = lanes[partition] as Lane
      const offset = Number(offsetText)
      const line = `${key} ${value?.toString('hex')}`
      const place = `${partition}/${offset}`
      if (offset > lane.offset) {
        lane.offset = offset
        lane.lines.push(line)
        known.set(place, line)
      } else if (known.get(place) !== line) faults.push(`a consumer saw something new at ${place} after ${lane.offset}`)
    },
  })
  return {
    contents: () => contentsOf('a consumer', lanes),
    faults: () => faults,
    close: () => consumer.disconnect(),
  }
}

const contentsOf = (who: string, lanes: readonly Lane[]): Contents =>
  Object.fromEntries(lanes.map(({ lines }, partition) => [`${who} of ${topic}/${partition}`, [...lines]]))
