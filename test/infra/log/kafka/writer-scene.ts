/**
 * The setup for tests of Kafka writers. It has a log of two topics on the simulated cluster, and a clock that
 * does not move by itself.
 */
import { expect } from 'chai'
import type { Cluster } from '../../../../infra/kafka-client/cluster.ts'
import { openKafkaWriter, type WriterDependencies } from '../../../../infra/log/kafka/kafka-writer.ts'
import type { LogWriter } from '../../../../infra/log/log.ts'
import { type TopicTable, topics } from '../../../../schemas/topics.ts'
import { expectFailure, fact } from '../../../contracts/log-contract.ts'
import { createKafkaDouble } from '../../../support/log/kafka-double/kafka-double.ts'
import { createManualTimers } from './manual-timers.ts'

const topicTable = {
  'chain-a-facts': { ...topics['chain-a-facts'], partitionCount: 3 },
  payments: topics.payments,
} as TopicTable

export type WriterScene = ReturnType<typeof createWriterScene>

export function createWriterScene() {
  const timers = createManualTimers()
  const kafka = createKafkaDouble({ 's-chain-a-facts': 3, 's-payments': 1 })
  const cluster: Cluster = kafka.clusterOf()
  return {
    ...{ kafka, cluster, timers },
    async open(isTransactional: boolean, options: Partial<WriterDependencies> = {}): Promise<LogWriter> {
      const parts = { cluster, topicPrefix: 's-', writerId: 'w', isTransactional, topicTable, nowMs: () => 77 }
      const writer = await openKafkaWriter({ ...parts, ...options })
      kafka.take()
      return writer
    },
    values: (partition: number) => kafka.values('s-chain-a-facts', partition),
    /** Waits for enough turns of the event loop to finish all work that needs no new event. */
    async settle() {
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    },
    stop() {
      timers.restore()
      kafka.expectDone()
    },
  }
}

export const messageOf = (outcome: Promise<unknown>): Promise<string> =>
  outcome.then(String, (error: Error) => error.message)

/**
 * Expects each call of the writer to fail with `writer_fenced` and the name of the writer. The calls must
 * send no request.
 */
export async function expectFenced(kafka: WriterScene['kafka'], writer: LogWriter): Promise<void> {
  kafka.take()
  for (const outcome of [writer.append([fact(0, 'late')]), writer.confirm(), writer.reopen()]) {
    await expectFailure(outcome, 'writer_fenced')
    expect(await messageOf(outcome)).to.include('the writer w is fenced')
  }
  expect(kafka.take()).to.deep.equal([])
}
