/** Real servers for a soak: a broker, a registry, and the tables' engine behind HTTP. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LocalKafka, startKafka } from '../../../../infra/development/kafka/cluster.ts'
import { type HttpEngine, serveEngineOverHttp } from '../../../support/clickhouse-over-http.ts'
import { closeAll } from '../../../support/close-all.ts'

export type Cluster = Readonly<{ kafka: LocalKafka; engine: HttpEngine; dataDir: string }>

export async function startCluster(): Promise<Cluster> {
  const dataDir = await mkdtemp(join(tmpdir(), 'launch-data-chaos-'))
  // In this order: there is one engine in a process, and if the cluster fails the next test needs it.
  const kafka = await startKafka({ withRegistry: true })
  const engine = await serveEngineOverHttp(join(dataDir, 'clickhouse-server'))
  return { kafka, engine, dataDir }
}

export async function stopCluster({ kafka, engine, dataDir }: Cluster): Promise<void> {
  await closeAll(engine.close, kafka.stop, () => rm(dataDir, { recursive: true, force: true }))
}
