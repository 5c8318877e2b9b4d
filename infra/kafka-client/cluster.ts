import type { Connections } from './connections.ts'
import type { Directory } from './directory.ts'
import type { LastTransactions } from './last-transaction.ts'

/** The state that readers and producers of one cluster share. */
export type Cluster = Readonly<{
  connections: Connections
  directory: Directory
  /** The time for which a reader retries while no broker answers, in milliseconds. */
  patienceMs: number
  appended: Appended
  lastTransactions: LastTransactions
}>

/**
 * The end offsets of this process's commits, by partition. A broker confirms a commit some milliseconds before readers
 * can see it. Readers in this process wait until they can read up to these offsets.
 */
type Appended = Readonly<{
  note(topic: string, partition: number, nextOffset: number): void
  endOf(topic: string, partition: number): number
}>

function createAppended(): Appended {
  const ends = new Map<string, number>()
  const idOf = (topic: string, partition: number) => `${topic}/${partition}`
  return {
    note: (topic, partition, nextOffset) => {
      const id = idOf(topic, partition)
      ends.set(id, Math.max(ends.get(id) ?? 0, nextOffset))
    },
    endOf: (topic, partition) => ends.get(idOf(topic, partition)) ?? 0,
  }
}

export function createCluster(parts: Pick<Cluster, 'connections' | 'directory' | 'patienceMs'>): Cluster {
  return { ...parts, appended: createAppended(), lastTransactions: new Map() }
}
