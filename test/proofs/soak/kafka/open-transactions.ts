/** The open transactions of a dead worker, according to the broker. */

import { addressOf } from '../../../../infra/kafka-client/broker-address.ts'
import { createConnections } from '../../../../infra/kafka-client/connections.ts'
import type { Address } from '../../../../infra/kafka-client/kafkajs-parts.ts'
import { silentLogger } from '../../../replay/stage-log.ts'

/** True if a partition has records that are neither committed nor aborted. Null: no broker answers. */
export async function isTransactionOpen(
  brokers: string,
  topic: string,
  partitions: readonly number[],
): Promise<boolean | null> {
  const connections = createConnections({
    clientId: 'onlooker',
    logger: silentLogger,
    connectionTimeoutMs: 500,
    requestTimeoutMs: 1000,
  })
  const [address] = brokers.split(',').map(addressOf) as [Address]
  const endsAt = async (isolationLevel: number) => {
    const topics = [{ topic, partitions: partitions.map((partition) => ({ partition, timestamp: -1 })) }]
    const answer = await connections
      .to('onlooker', address)
      .use((broker) => broker.listOffsets({ isolationLevel, topics }))
    return answer.responses[0]?.partitions ?? []
  }
  try {
    // A transaction that ends between the two reads belongs to a living worker, and it is not counted.
    const all = await endsAt(0)
    const stable = await endsAt(1)
    return all.some(({ partition, offset }) =>
      stable.some((its) => its.partition === partition && BigInt(its.offset) < BigInt(offset)),
    )
  } catch {
    return null
  } finally {
    connections.close()
  }
}
