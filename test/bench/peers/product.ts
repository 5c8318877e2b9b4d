/** Measures a stage of this service on Kafka, beside a plain Kafka consumer of the same facts. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmbeddedRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { startKafka } from '../../../infra/development/kafka/cluster.ts'
import { createKafkaLog } from '../../../infra/log/kafka/kafka-log.ts'
import { createLogger } from '../../../infra/telemetry.ts'
import { publishMarket } from '../fact-log.ts'
import { count } from '../rounds.ts'
import { runProduct, type Throughput } from './measure.ts'
import { printRows } from './print-rows.ts'

const hours = 12
const prefix = 'product-'
const quoted = 'stage, a snapshot a second'
const engines = [
  { name: quoted, engine: 'product' },
  { name: 'stage, no snapshots', engine: 'product-without' },
  { name: 'kafkajs, read and decode', engine: 'product-plain' },
] as const

/**
 * Prints the speed of the stage of chain A over 12 hours of simulated trades on Kafka. The stage runs in one
 * thread and processes each fact exactly once.
 */
export async function measureProduct(rounds: number): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'launch-data-bench-'))
  const kafka = await startKafka({ isMeasured: true, report: (line) => console.error(line) })
  try {
    const { brokers } = kafka
    const logger = createLogger('bench', 'warn')
    const log = await createKafkaLog({ brokers: brokers.split(','), nowMs: Date.now, logger, topicPrefix: prefix })
    const facts = await publishMarket({ log, registry: await createEmbeddedRegistry({ dataDir }), hours })
    await log.close()
    console.log(
      `\nthe service's whole stage on Kafka, ${count(facts)} facts of ${hours} h; facts/s, the median of ${rounds} rounds after one:`,
    )
    const results = new Map<string, Throughput[]>(engines.map(({ name }) => [name, []]))
    for (let round = 0; round <= rounds; round++)
      for (const { name, engine } of engines) {
        const result = await runProduct(engine, { brokers, prefix, dataDir })
        if (round > 0) results.get(name)?.push(result)
      }
    printRows(results, { row: quoted })
  } finally {
    await kafka.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
