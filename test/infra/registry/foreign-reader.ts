/** Somebody else's program: reads topics with kafkajs and the registry's own deserializer, and imports nothing of ours. */

import { SchemaRegistryClient } from '@confluentinc/schemaregistry/dist/schemaregistry-client.js'
import { AvroDeserializer } from '@confluentinc/schemaregistry/dist/serde/avro.js'
import { SerdeType, SubjectNameStrategyType } from '@confluentinc/schemaregistry/dist/serde/serde.js'
import kafkajs from 'kafkajs'

export type ForeignRecord = Readonly<{
  partition: number
  key: string
  /** Null: the key was removed. */
  value: Readonly<Record<string, unknown>> | null
}>

export type ForeignCluster = Readonly<{ brokers: string; registryUrl: string }>

/** The first committed records of a topic, so many; a partition's are in their order. Rejects for one that it cannot read. */
export async function readTopic(
  { brokers, registryUrl }: ForeignCluster,
  topic: string,
  count: number,
): Promise<readonly ForeignRecord[]> {
  if (count === 0) return []
  const client = new kafkajs.Kafka({ brokers: brokers.split(','), logLevel: kafkajs.logLevel.NOTHING })
  const deserializer = new AvroDeserializer(
    SchemaRegistryClient.newClient({ baseURLs: [registryUrl] }),
    SerdeType.VALUE,
    { subjectNameStrategyType: SubjectNameStrategyType.TOPIC_RECORD },
  )
  const consumer = client.consumer({ groupId: `foreign-${crypto.randomUUID()}` })
  const records: ForeignRecord[] = []
  await consumer.connect()
  await consumer.subscribe({ topic, fromBeginning: true })
  try {
    await new Promise<void>((resolve, reject) => {
      const eachMessage = async ({ partition, message: { key, value } }: kafkajs.EachMessagePayload) => {
        const decoded = value === null ? null : await deserializer.deserialize(topic, value).catch(reject)
        records.push({ partition, key: String(key), value: decoded })
        if (records.length === count) resolve()
      }
      consumer.run({ eachMessage }).catch(reject)
    })
  } finally {
    await consumer.disconnect()
  }
  return records
}
