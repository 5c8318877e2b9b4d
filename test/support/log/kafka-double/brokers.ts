/** Creates the brokers of the in-memory cluster, with their partitions and their transaction coordinator. */
import assert from 'node:assert/strict'
import { createCoordinator } from './coordinator.ts'
import { codes, createPartition, type Partition } from './partition.ts'

export const nodes = [
  { nodeId: 1, host: 'one', port: 9092 },
  { nodeId: 2, host: 'two', port: 9092 },
] as const
export type Node = (typeof nodes)[number]

export type Brokers = ReturnType<typeof createBrokers>

export function createBrokers(partitionCounts: Readonly<Record<string, number>>) {
  const partitions = new Map<string, Partition>()
  for (const [topic, count] of Object.entries(partitionCounts))
    for (let partition = 0; partition < count; partition++) partitions.set(`${topic}/${partition}`, createPartition())
  const partitionOf = (id: string): Partition => {
    const found = partitions.get(id)
    assert(found, `there is no partition ${id}`)
    return found
  }
  /**
   * With `isSwapped`, each broker leads the partitions that the other broker led before. With `isOld`, no
   * broker supports the API DescribeTransactions.
   */
  const places = { coordinator: 2, isSwapped: false, isOld: false }
  const leaderOf = (partition: number): number => ((partition % 2 === 0) !== places.isSwapped ? 1 : 2)
  return {
    ...{ partitionCounts, partitionOf, places, leaderOf },
    coordinator: createCoordinator(partitionOf),
    refusalAtCoordinator: (node: Node): number => (node.nodeId === places.coordinator ? 0 : codes.notCoordinator),
    refusalAtLeader: (node: Node, partition: number): number =>
      node.nodeId === leaderOf(partition) ? 0 : codes.notLeader,
  }
}
