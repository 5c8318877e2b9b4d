/** Starts the real servers for the soak test: a Kafka broker, a schema registry, and ClickHouse over HTTP. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LocalKafka, startKafka } from '../../../../infra/development/kafka/cluster.ts'
import { type HttpEngine, serveEngineOverHttp } from '../../../support/clickhouse-over-http.ts'
import { closeAll } from '../../../support/close-all.ts'

export type Cluster = Readonly<{ kafka: LocalKafka; engine: HttpEngine; dataDir: string }>

export async function startCluster(): Promise<Cluster> {
  const dataDir = await mkdtemp(join(tmpdir(), 'launch-data-chaos-'))
  // The engine starts last. If Kafka fails, the next test can still use the one engine of the process.
  const kafka = await startKafka({ withRegistry: true })
  const engine = await serveEngineOverHttp(join(dataDir, 'clickhouse-server'))
  return { kafka, engine, dataDir }
}

export async function stopCluster({ kafka, engine, dataDir }: Cluster): Promise<void> {
  await closeAll(engine.close, kafka.stop, () => rm(dataDir, { recursive: true, force: true }))
}
