/** A plain kafkajs consumer without transactions and without stored offsets. */
import { Kafka, logLevel } from 'kafkajs'
import { type Place, sayFirst } from './place.ts'

type OnBatch = (values: readonly Buffer[]) => Promise<void> | void

/** Consumes until SIGTERM. */
export async function consume(
  { brokers, topicIn, id }: Pick<Place, 'brokers' | 'topicIn' | 'id'>,
  onBatch: OnBatch,
): Promise<void> {
  const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.ERROR })
  const consumer = kafka.consumer({ groupId: id, maxWaitTimeInMs: 100 })
  await consumer.connect()
  await consumer.subscribe({ topics: [topicIn], fromBeginning: true })
  let isBegun = false
  await consumer.run({
    autoCommit: false,
    eachBatch: async ({ batch }) => {
      if (!isBegun) sayFirst()
      isBegun = true
      await onBatch(batch.messages.map(({ value }) => value as Buffer))
    },
  })
  process.once('SIGTERM', () => process.exit(0))
}

const idleMs = 1500

/** Decodes every record one time. Prints the number of records after no record has come for 1.5 s. */
export async function readOnce(
  place: Pick<Place, 'brokers' | 'topicIn' | 'id'>,
  decode: (value: Buffer) => object,
): Promise<void> {
  let records = 0
  let lastAtMs = Number.POSITIVE_INFINITY
  await consume(place, (values) => {
    for (const value of values) decode(value)
    records += values.length
    lastAtMs = Date.now()
  })
  const looking = setInterval(() => {
    if (Date.now() - lastAtMs < idleMs || records === 0) return
    clearInterval(looking)
    console.log(`DONE ${lastAtMs} ${records}`)
  }, 100)
}
