import { expect } from 'chai'
import { openKafkaLog } from '../../../../infra/log/kafka/open-kafka-log.ts'
import { topics } from '../../../../schemas/topics.ts'
import { silentLogger } from '../../../replay/stage-log.ts'
import { startBrokerDouble } from '../../../support/log/broker-double.ts'

const apiKeys = { metadata: 3, apiVersions: 18, createTopics: 19 }
const topicAuthorizationFailed = 29

const int16 = (value: number) => Buffer.from([value >> 8, value])
const int32 = (value: number) => Buffer.from([value >> 24, value >> 16, value >> 8, value])
const text = (value: string) => Buffer.concat([int16(value.length), Buffer.from(value)])

/** The supported versions: 0 and 1 of Metadata, and 0 of CreateTopics. */
const versions = Buffer.concat([int16(0), int32(2), ...[3, 0, 1, 19, 0, 0].map(int16)])

/** Metadata of one broker without topics. The broker is also the controller. */
const metadataOf = (port: number) =>
  Buffer.concat([int32(1), int32(1), text('127.0.0.1'), int32(port), int16(-1), int32(1), int32(0)])

const refusalOf = (named: readonly Readonly<{ name: string }>[]) =>
  Buffer.concat([int32(named.length), ...named.flatMap(({ name }) => [text(name), int16(topicAuthorizationFailed)])])

/** Reads the topics of a request, with their partition counts and replication factors. */
function topicsIn(request: Buffer) {
  let at = 8
  const take = (count: number) => {
    at += count
    return request.subarray(at - count, at)
  }
  const number16 = () => take(2).readInt16BE()
  const number32 = () => take(4).readInt32BE()
  const name = () => String(take(number16()))
  const array = <Item>(read: () => Item): Item[] => Array.from({ length: number32() }, read)
  // The id of the client.
  name()
  return array(() => {
    const topic = { name: name(), partitionCount: number32(), replicationFactor: number16() }
    array(() => expect.fail('no replica is assigned'))
    array(() => [name(), name()])
    return topic
  })
}

describe('the opening of a log on Kafka', () => {
  const topicTable = { payments: topics.payments, 'chain-a-facts': topics['chain-a-facts'] }

  for (const [says, replicationFactor, expected] of [
    ['the configured replication factor', 3, 3],
    ['the default replication factor of the cluster if none is configured', undefined, -1],
  ] as const)
    it(`asks for the missing topics, with ${says}`, async () => {
      const requests: Buffer[] = []
      const broker = await startBrokerDouble(
        (_, apiKey, reply) => {
          if (apiKey === apiKeys.apiVersions) reply(versions)
          if (apiKey === apiKeys.metadata) reply(metadataOf(broker.port))
          // The opening fails at this refusal, so no schema registry is needed.
          if (apiKey === apiKeys.createTopics) reply(refusalOf(requests.flatMap(topicsIn)))
        },
        (request) => {
          if (request.readInt16BE(0) === apiKeys.createTopics) requests.push(request)
        },
      )
      try {
        const settings = {
          ...{ brokers: [`127.0.0.1:${broker.port}`], topicPrefix: 's-', replicationFactor, sessionMs: 6000 },
          ...{ security: {}, registryUrl: 'http://127.0.0.1:9', logger: silentLogger },
        }
        const failure = await openKafkaLog(settings, { nowMs: () => 0, topicTable }).catch((error: unknown) => error)
        expect(requests, String(failure)).to.have.lengthOf(1)
        expect(requests.flatMap(topicsIn)).to.deep.equal(
          Object.values(topicTable).map(({ name, partitionCount }) => ({
            ...{ name: `s-${name}`, partitionCount, replicationFactor: expected },
          })),
        )
      } finally {
        await broker.stop()
      }
    })
})
