/**
 * Looks up the leaders of partitions and the coordinators of transactional ids and groups. Answers are cached
 * until `forget` is called.
 */

import type { Connections } from './connections.ts'
import { type Address, createErrorFromCode, type Metadata } from './kafkajs-parts.ts'

type Node = Address & Readonly<{ nodeId: number }>

type CoordinatorKind = 'group' | 'transaction'

export type Directory = Readonly<{
  leaderOf(topic: string, partition: number): Promise<Node>
  coordinatorOf(kind: CoordinatorKind, key: string): Promise<Node>
  /** Drops the cache. Call this after a failure, because the cache may be out of date. */
  forget(): void
}>

const unknownTopicOrPartition = 3
const leaderNotAvailable = 5

export function createDirectory(
  connections: Connections,
  { seeds, topicNames }: Readonly<{ seeds: readonly Address[]; topicNames: readonly string[] }>,
): Directory {
  let known: Promise<Metadata> | null = null
  let addresses: readonly Address[] = []
  const coordinators = new Map<string, Node>()

  const ask = async (): Promise<Metadata> => {
    const metadata = await fromAny((address) =>
      connections.to('directory', address).use((broker) => broker.metadata(topicNames)),
    )
    addresses = metadata.brokers
    return metadata
  }
  /**
   * Sends a request to one broker after another until one broker answers. First come the brokers of the
   * newest metadata, then the configured brokers. A broker may not answer because the cluster has moved to
   * other brokers or is still starting.
   */
  const fromAny = async <Answer>(question: (address: Address) => Promise<Answer>): Promise<Answer> => {
    let failure: unknown
    for (const address of [...addresses, ...seeds])
      try {
        return await question(address)
      } catch (error) {
        failure = error
      }
    throw failure
  }
  const metadata = (): Promise<Metadata> => {
    if (known) return known
    const request = ask()
    known = request
    request.catch(() => {
      if (known === request) known = null
    })
    return request
  }

  return {
    async leaderOf(topic, partition) {
      const { brokers, topicMetadata } = await metadata()
      const found = topicMetadata.find((its) => its.topic === topic)
      const place = found?.partitionMetadata.find(({ partitionId }) => partitionId === partition)
      if (!place) throw createErrorFromCode(unknownTopicOrPartition)
      const leader = brokers.find(({ nodeId }) => nodeId === place.leader)
      if (!leader) throw createErrorFromCode(leaderNotAvailable)
      return leader
    },
    async coordinatorOf(kind, key) {
      const id = `${kind} ${key}`
      const query = { groupId: key, coordinatorType: kind === 'group' ? 0 : 1 }
      const node =
        coordinators.get(id) ??
        (
          await fromAny((address) =>
            connections.to('directory', address).use((broker) => broker.findGroupCoordinator(query)),
          )
        ).coordinator
      coordinators.set(id, node)
      return node
    },
    forget() {
      known = null
      coordinators.clear()
    },
  }
}
