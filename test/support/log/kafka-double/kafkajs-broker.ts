/** Creates a kafkajs broker whose requests go to the in-memory cluster. */
import assert from 'node:assert/strict'
import {
  createErrorFromCode,
  type KafkajsBroker,
  type ProtocolCall,
  type TopicPartitions,
} from '../../../../infra/kafka-client/kafkajs-parts.ts'
import { type Brokers, type Node, nodes } from './brokers.ts'
import { codes } from './partition.ts'
import type { Script } from './script.ts'

/** The partitions of a request, by topic. */
type Questions = readonly Readonly<{ partitions: readonly Readonly<{ partition: number }>[] }>[]
type KafkajsSend = <Answer>(call: ProtocolCall<Answer>) => Promise<Answer>

/** Creates the broker. `send` sends a request that the client encodes itself. */
export function createKafkajsBroker(
  { brokers, node, serve }: Readonly<{ brokers: Brokers; node: Node; serve: Script['serve'] }>,
  send: KafkajsSend,
): KafkajsBroker {
  const { coordinator, places, partitionCounts, partitionOf, leaderOf } = brokers
  const refused = failWith
  const refusal = () => brokers.refusalAtCoordinator(node)
  const refusalOf = (topics: Questions) =>
    topics.every((its) => its.partitions.every((one) => brokers.refusalAtLeader(node, one.partition) === 0))
      ? 0
      : codes.notLeader
  const own: Partial<KafkajsBroker> = {
    versions: places.isOld ? {} : { 65: {} },
    connectionPool: {
      getConnection: async () => ({ send, rejectRequests: () => {}, disconnect: async () => null }),
      map: () => [],
    },
    metadata: (names) => {
      assert.deepEqual([...names].sort(), Object.keys(partitionCounts).sort())
      const topicMetadata = Object.entries(partitionCounts).map(([topic, count]) => ({
        topic,
        partitionMetadata: Array.from({ length: count }, (_, partitionId) => ({
          ...{ partitionId, leader: leaderOf(partitionId), partitionErrorCode: 0 },
        })),
      }))
      return serve({ api: 'Metadata', line: 'Metadata', answer: () => ({ brokers: nodes, topicMetadata }), refused })
    },
    findGroupCoordinator: ({ groupId, coordinatorType }) => {
      assert.equal(coordinatorType, 1, 'the coordinator of transactions')
      const found = nodes.find(({ nodeId }) => nodeId === places.coordinator) ?? nodes[0]
      const line = `FindCoordinator ${groupId}`
      return serve({ api: 'FindCoordinator', line, answer: () => ({ coordinator: found }), refused })
    },
    listOffsets: ({ isolationLevel, topics }) => {
      const offsetOf = (id: string, timestamp: number): number => {
        if (timestamp === -2) return partitionOf(id).startOffset()
        if (timestamp >= 0) return partitionOf(id).offsetAt(timestamp)
        assert.equal(timestamp, -1)
        return isolationLevel === 1 ? partitionOf(id).stableOffset() : partitionOf(id).endOffset()
      }
      const asked = topics.map((its) => ({
        topic: its.topic,
        partitions: its.partitions.map((one) => one.partition),
      }))
      return serve({
        api: 'ListOffsets',
        line: `ListOffsets ${isolationLevel === 1 ? 'stable' : 'all'} ${textOf(asked)}`,
        refusal: () => refusalOf(topics),
        answer: () => ({
          responses: topics.map(({ topic, partitions: wanted }) => ({
            topic,
            partitions: wanted.map(({ partition, timestamp }) => ({
              partition,
              offset: String(offsetOf(`${topic}/${partition}`, timestamp)),
            })),
          })),
        }),
        refused,
      })
    },
    deleteRecords: ({ topics }) =>
      serve({
        api: 'DeleteRecords',
        line: `DeleteRecords ${topics.map((its) => its.partitions.map((one) => `${its.topic}/${one.partition} before ${one.offset}`))}`,
        refusal: () => refusalOf(topics),
        answer: () => {
          for (const { topic, partitions } of topics)
            for (const { partition, offset } of partitions)
              partitionOf(`${topic}/${partition}`).deleteBefore(Number(offset))
        },
        refused,
      }),
    addPartitionsToTxn: (query) =>
      serve({
        api: 'AddPartitionsToTxn',
        line: `AddPartitionsToTxn ${nameOf(query)} ${textOf(query.topics)}`,
        refusal,
        answer: () => coordinator.add(identityOf(query), idsOf(query.topics)) || null,
        refused,
      }).then((code) => (code === null ? null : failWith(code))),
    endTxn: (query) =>
      serve({
        api: 'EndTxn',
        line: `EndTxn ${nameOf(query)} ${query.transactionResult ? 'commit' : 'abort'}`,
        refusal,
        answer: () => coordinator.end(identityOf(query), query.transactionResult) || null,
        refused,
      }).then((code) => (code === null ? null : failWith(code))),
  }
  return own as KafkajsBroker
}

function failWith(errorCode: number): never {
  throw createErrorFromCode(errorCode)
}

const identityOf = (query: Readonly<{ transactionalId: string; producerId: string; producerEpoch: number }>) => ({
  transactionalId: query.transactionalId,
  producerId: BigInt(query.producerId),
  epoch: query.producerEpoch,
})
const nameOf = (its: Readonly<{ transactionalId: string; producerId: string; producerEpoch: number }>) =>
  `${its.transactionalId} ${its.producerId}:${its.producerEpoch}`
const textOf = (topics: TopicPartitions) => topics.map((its) => `${its.topic}[${its.partitions}]`).join(' ')
const idsOf = (topics: TopicPartitions) =>
  topics.flatMap((its) => its.partitions.map((partition) => `${its.topic}/${partition}`))
