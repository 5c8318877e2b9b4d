/**
 * Replaces the kafkajs admin client in tests. It keeps the topics in memory and checks that it is used
 * correctly.
 */
import assert from 'node:assert/strict'
import type { Admin, ITopicConfig } from 'kafkajs'
import type { openAdmin } from '../../../infra/kafka-client/open-admin.ts'

type Settings = Parameters<typeof openAdmin>[0]

type KnownTopic = { leaders: readonly number[]; config: Record<string, string> }

export type ClusterDouble = Readonly<{
  topics: Map<string, KnownTopic>
  /** The settings with which admin clients were opened. */
  opened: Settings[]
  /** The topics whose creation was requested, in order. */
  created: ITopicConfig[]
  /** The number of admin clients that are connected now. */
  connected(): number
  open: typeof openAdmin
}>

type Cluster = Omit<ClusterDouble, 'connected' | 'open'> & { connectedCount: number; failure: Error | null }

/**
 * Creates the cluster. With `failure`, an admin client can connect, but each later request fails with this
 * error.
 */
export function createClusterDouble({ failure = null }: Readonly<{ failure?: Error | null }> = {}): ClusterDouble {
  const cluster: Cluster = { topics: new Map(), opened: [], created: [], connectedCount: 0, failure }
  return {
    ...cluster,
    connected: () => cluster.connectedCount,
    open(settings) {
      cluster.opened.push(settings)
      return adminOf(cluster) as Admin
    },
  }
}

function adminOf(cluster: Cluster): Partial<Admin> {
  let isConnected = false
  const request = () => {
    assert(isConnected, 'a request before the connection, or after its end')
    if (cluster.failure !== null) throw cluster.failure
  }
  const named = (name: string): KnownTopic => cluster.topics.get(name) ?? assert.fail(`the topic ${name} is not there`)
  return {
    async connect() {
      isConnected = true
      cluster.connectedCount++
    },
    async disconnect() {
      if (isConnected) cluster.connectedCount--
      isConnected = false
    },
    async listTopics() {
      request()
      return [...cluster.topics.keys()]
    },
    async createTopics({ topics, waitForLeaders }) {
      request()
      assert.equal(waitForLeaders, true)
      for (const topic of topics) create(cluster, topic)
      return true
    },
    async fetchTopicMetadata(options?: Readonly<{ topics: string[] }>) {
      request()
      return {
        topics: (options?.topics ?? assert.fail('no names')).map((name) => ({
          name,
          partitions: partitionsOf(named(name)),
        })),
      }
    },
    async describeConfigs({ resources, includeSynonyms }) {
      request()
      assert.equal(includeSynonyms, false)
      return { throttleTime: 0, resources: resources.map(({ type, name }) => described(named(name), { type, name })) }
    },
    async describeCluster() {
      request()
      const brokers = [1, 2].map((nodeId) => ({ nodeId, host: `broker-${nodeId}`, port: 9092 }))
      return { brokers, controller: 1, clusterId: 'c1' }
    },
  }
}

function create(cluster: Cluster, topic: ITopicConfig): void {
  assert(!cluster.topics.has(topic.topic), `${topic.topic} exists already`)
  cluster.created.push(topic)
  cluster.topics.set(topic.topic, {
    leaders: Array.from({ length: topic.numPartitions ?? 0 }, () => 1),
    config: Object.fromEntries((topic.configEntries ?? []).map(({ name, value }) => [name, value])),
  })
}

const partitionsOf = ({ leaders }: KnownTopic) =>
  leaders.map((leader, partitionId) => ({ partitionErrorCode: 0, partitionId, leader, replicas: [], isr: [] }))

function described({ config }: KnownTopic, { type, name }: Readonly<{ type: number; name: string }>) {
  assert.equal(type, 2, 'the type of a topic')
  const entries = Object.entries(config).map(([configName, configValue]) => ({
    ...{ configName, configValue, configSource: 1, configSynonyms: [] },
    ...{ isDefault: false, isSensitive: false, readOnly: false },
  }))
  return { configEntries: entries, errorCode: 0, errorMessage: '', resourceName: name, resourceType: type }
}
