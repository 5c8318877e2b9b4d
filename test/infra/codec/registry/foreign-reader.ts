/**
 * A program that reads topics as a foreign client does, with kafkajs and Confluent's deserializer. It imports
 * none of our code.
 */

import { SchemaRegistryClient } from '@confluentinc/schemaregistry/dist/schemaregistry-client.js'
import { AvroDeserializer } from '@confluentinc/schemaregistry/dist/serde/avro.js'
import { SerdeType, SubjectNameStrategyType } from '@confluentinc/schemaregistry/dist/serde/serde.js'
import kafkajs from 'kafkajs'

export type ForeignRecord = Readonly<{
  key: string
  /** Null if the key was removed. */
  value: Readonly<Record<string, unknown>> | null
}>

export type ForeignCluster = Readonly<{ brokers: string; registryUrl: string }>

/**
 * Returns the first committed records of each partition of a topic, in order. Rejects if a record cannot be
 * read.
 */
export async function readTopic(
  { brokers, registryUrl }: ForeignCluster,
  topic: string,
  counts: readonly number[],
): Promise<readonly (readonly ForeignRecord[])[]> {
  const found = counts.map((): ForeignRecord[] => [])
  const isAll = () => found.every((records, partition) => records.length === counts[partition])
  if (isAll()) return found
  const client = new kafkajs.Kafka({ brokers: brokers.split(','), logLevel: kafkajs.logLevel.NOTHING })
  const deserializer = new AvroDeserializer(
    SchemaRegistryClient.newClient({ baseURLs: [registryUrl] }),
    SerdeType.VALUE,
    { subjectNameStrategyType: SubjectNameStrategyType.TOPIC_RECORD },
  )
  const consumer = client.consumer({ groupId: `foreign-${crypto.randomUUID()}` })
  await consumer.connect()
  await consumer.subscribe({ topic, fromBeginning: true })
  try {
    await new Promise<void>((resolve, reject) => {
      const eachMessage = async ({ partition, message: { key, value } }: kafkajs.EachMessagePayload) => {
        const records = found[partition]
        // Later records are ignored.
        if (records === undefined || records.length === counts[partition]) return
        const decoded = value === null ? null : await deserializer.deserialize(topic, value).catch(reject)
        records.push({ key: String(key), value: decoded })
        if (isAll()) resolve()
      }
      consumer.run({ eachMessage }).catch(reject)
    })
  } finally {
    await consumer.disconnect()
  }
  return found
}
