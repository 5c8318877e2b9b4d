/**
 * Creates a Kafka cluster of two brokers in memory, which replaces the client's connections. It keeps
 * transactions, epochs, sequence numbers and markers as a broker does. It refuses a request that arrives at
 * the wrong broker. A script says which requests are refused, lost or answered late.
 */
import assert from 'node:assert/strict'
import { OperationError } from '../../../../infra/errors.ts'
import { type Cluster, createCluster } from '../../../../infra/kafka-client/cluster.ts'
import type { Connections } from '../../../../infra/kafka-client/connections.ts'
import { createDirectory } from '../../../../infra/kafka-client/directory.ts'
import type { ProtocolCall } from '../../../../infra/kafka-client/kafkajs-parts.ts'
import { PartitionReader } from '../../../../infra/kafka-client/partition-reader.ts'
import { createBrokers, type Node, nodes } from './brokers.ts'
import { createDeferred, type Deferred } from './deferred.ts'
import { createKafkajsBroker } from './kafkajs-broker.ts'
import { frameServed } from './own-requests.ts'
import { type Api, createScript, hungUp, type Served } from './script.ts'

export type KafkaDouble = ReturnType<typeof createKafkaDouble>

/**
 * For each API, the beginning that the purpose of a connection must have. Null allows any purpose. Each
 * producer has its own connections for its requests.
 */
const purposes: Readonly<Record<Api, string | null>> = {
  ...{
    Metadata: 'directory',
    FindCoordinator: 'directory',
    ListOffsets: 'directory',
    DeleteRecords: 'directory',
    DescribeTransactions: 'directory',
  },
  ...{ InitProducerId: 'writer ', AddPartitionsToTxn: 'writer ', Produce: 'writer ', EndTxn: 'writer ', Fetch: null },
}

/** Creates the cluster. `partitionCounts` gives the number of partitions of each topic. */
export function createKafkaDouble(partitionCounts: Readonly<Record<string, number>>) {
  const brokers = createBrokers(partitionCounts)
  const script = createScript()
  const lanes = new Map<string, Deferred<never>>()
  const dropped: string[] = []
  const life = { isClosed: false }

  /** Returns a connection to a broker for one purpose. Dropping the purpose does not end this connection. */
  const lineTo = (node: Node, purpose: string) => {
    const serve = <Answer>(served: Served<Answer>): Promise<Answer> => {
      const kind = purposes[served.api]
      assert(kind === null || purpose.startsWith(kind), `${served.line} does not belong on the connection "${purpose}"`)
      return script.serve(served)
    }
    const send = async <Answer>({ request, response }: ProtocolCall<Answer>): Promise<Answer> => {
      const { buffer } = await request.encode()
      return response.parse(await response.decode(await serve(frameServed({ brokers, node }, request, buffer))))
    }
    return { send, broker: createKafkajsBroker({ brokers, node, serve }, send) }
  }

  const connections: Connections = {
    to(purpose, address) {
      if (life.isClosed) throw new OperationError('log_closed', 'the connections are closed')
      const node = nodes.find(({ host, port }) => host === address.host && port === address.port)
      assert(node, `there is no broker ${address.host}:${address.port}`)
      const ended = lanes.get(purpose) ?? createDeferred<never>()
      ended.promise.catch(() => {})
      lanes.set(purpose, ended)
      const { broker, send } = lineTo(node, purpose)
      return {
        use: (question) => Promise.race([question(broker), ended.promise]),
        send: (call) => Promise.race([send(call), ended.promise]),
      }
    },
    drop(purpose) {
      dropped.push(purpose)
      lanes.get(purpose)?.reject(hungUp())
      lanes.delete(purpose)
    },
    close() {
      life.isClosed = true
      for (const ended of lanes.values()) ended.reject(hungUp())
      lanes.clear()
    },
  }
  const clusterOf = (patienceMs = 1000): Cluster => {
    const directory = createDirectory(connections, { seeds: [nodes[0]], topicNames: Object.keys(partitionCounts) })
    return createCluster({ connections, directory, patienceMs })
  }

  return {
    ...script,
    ...{ dropped, clusterOf, places: brokers.places, coordinator: brokers.coordinator },
    partition: (topic: string, partition: number) => brokers.partitionOf(`${topic}/${partition}`),
    /** Returns the purposes of the connections that are open. */
    openPurposes: () => [...lanes.keys()],
    /** Returns the committed values of a partition. */
    async values(topic: string, partition: number): Promise<readonly string[]> {
      const reader = new PartitionReader(clusterOf(), { topic, partition })
      const values: string[] = []
      for (let offset = 0; ; ) {
        const batches = await reader.read(offset, { bytesMax: 1 << 20 })
        for (const batch of batches) {
          for (let index = 0; index < batch.count; index++) values.push(String(batch.valueAt(index)))
          offset = batch.nextOffset
        }
        if (batches.length === 0) return values
      }
    },
  }
}
