/** The combinations of log, tables and processes on which the service can run. */
import { join } from 'node:path'
import { startKafka } from '../../infra/development/kafka/cluster.ts'
import { serveEngineOverHttp } from '../support/clickhouse-over-http.ts'
import { closeAll } from '../support/close-all.ts'

export type Ground = Readonly<{
  /** The environment variables of the combination. */
  environment: Readonly<Record<string, string>>
  /** The programs of the service. The last program serves the answers. */
  programs: readonly string[]
  close(): Promise<void>
}>

/** Stores its data in the folder. */
export type OpenGround = (dataDir: string) => Promise<Ground>

export const embedded: OpenGround = async () => ({ environment: {}, programs: ['up'], close: async () => {} })

export const embeddedLogTablesOverHttp: OpenGround = async (dataDir) => {
  const engine = await serveEngineOverHttp(join(dataDir, 'clickhouse-server'))
  return { environment: { CLICKHOUSE_URL: engine.url }, programs: ['up'], close: engine.close }
}

export const kafkaLogEmbeddedTables: OpenGround = async () => {
  const { environment, close } = await openKafka()
  return { environment, programs: ['up'], close }
}

/** Two workers share the partitions, and every program has its own process. */
export const programsApart: OpenGround = async (dataDir) => {
  // Kafka starts first, because a process can have only one ClickHouse engine. If Kafka fails, the next test
  // can still use that engine.
  const kafka = await openKafka()
  const tables = await embeddedLogTablesOverHttp(dataDir)
  return {
    environment: { ...kafka.environment, ...tables.environment, STAGE_THREADS: '1' },
    programs: ['ingest', 'process', 'process', 'project', 'serve'],
    close: () => closeAll(tables.close, kafka.close),
  }
}

async function openKafka(): Promise<Pick<Ground, 'environment' | 'close'>> {
  const { brokers, registryUrl, stop } = await startKafka({ withRegistry: true })
  const environment = { KAFKA_BROKERS: brokers, KAFKA_SESSION_MS: '6000', SCHEMA_REGISTRY_URL: registryUrl ?? '' }
  return { environment, close: stop }
}
