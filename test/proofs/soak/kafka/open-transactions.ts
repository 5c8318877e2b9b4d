/** What a worker left open when it died, as the broker has it. */

import { addressOf } from '../../../../infra/kafka-client/broker-address.ts'
import { createConnections } from '../../../../infra/kafka-client/connections.ts'
import type { Address } from '../../../../infra/kafka-client/kafkajs-parts.ts'
import { silentLogger } from '../../../replay/stage-log.ts'

/** True when records stand in one of the partitions that are neither committed nor rolled back yet; null: nobody answers. */
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
    // A transaction that ends in between is none that a dead worker left.
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
