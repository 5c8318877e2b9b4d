/** Finds partitions whose last records are neither committed nor aborted. */

import { tryAgain } from './broker-errors.ts'
import type { Cluster } from './cluster.ts'
import type { Address, KafkajsBroker, TopicPartitions } from './kafkajs-parts.ts'

const latest = -1

/**
 * Returns the partitions whose newest records are not yet readable. Either a producer has not ended its
 * transaction, or the broker lost the marker of a transaction. The last stable offset of such a partition is
 * below its end.
 */
export function openTransactions(
  cluster: Cluster,
  wanted: TopicPartitions,
  patienceMs: number,
): Promise<TopicPartitions> {
  return tryAgain(() => lookOnce(cluster, wanted), {
    doing: 'looking for open transactions',
    patienceMs,
    beforeRetry: () => cluster.directory.forget(),
  })
}

async function lookOnce({ connections, directory }: Cluster, wanted: TopicPartitions): Promise<TopicPartitions> {
  const leaders = new Map<string, Address & { topics: Map<string, number[]> }>()
  for (const { topic, partitions } of wanted)
    for (const partition of partitions) {
      const leader = await directory.leaderOf(topic, partition)
      const id = `${leader.host}:${leader.port}`
      const share = leaders.get(id) ?? { ...leader, topics: new Map<string, number[]>() }
      leaders.set(id, share)
      share.topics.set(topic, [...(share.topics.get(topic) ?? []), partition])
    }
  const open = await Promise.all(
    [...leaders.values()].map(({ topics, ...address }) =>
      connections.to('directory', address).use((broker) => openAt(broker, topics)),
    ),
  )
  return open.flat()
}

async function openAt(broker: KafkajsBroker, wanted: ReadonlyMap<string, readonly number[]>): Promise<TopicPartitions> {
  const topics = [...wanted].map(([topic, its]) => ({
    topic,
    partitions: its.map((partition) => ({ partition, timestamp: latest })),
  }))
  const stable = await broker.listOffsets({ isolationLevel: 1, topics })
  const all = await broker.listOffsets({ isolationLevel: 0, topics })
  const stableOffsets = new Map(
    stable.responses.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, offset }) => [`${topic}/${partition}`, Number(offset)] as const),
    ),
  )
  return all.responses.flatMap(({ topic, partitions }) => {
    const open = partitions.filter(
      ({ partition, offset }) => Number(offset) > (stableOffsets.get(`${topic}/${partition}`) ?? 0),
    )
    return open.length > 0 ? [{ topic, partitions: open.map(({ partition }) => partition) }] : []
  })
}
