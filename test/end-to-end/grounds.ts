/** What the service can stand on: where its log and its tables are, and in how many processes it runs. */
import { join } from 'node:path'
import { startKafka } from '../../infra/development/kafka/cluster.ts'
import { serveEngineOverHttp } from '../support/clickhouse-over-http.ts'
import { closeAll } from '../support/close-all.ts'

export type Ground = Readonly<{
  /** The part of the configuration that says so. */
  environment: Readonly<Record<string, string>>
  /** Together one service, the one that answers last. */
  programs: readonly string[]
  close(): Promise<void>
}>

/** Keeps what it must under the folder. */
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

/** Two workers share the partitions; every program is a process of its own. */
export const programsApart: OpenGround = async (dataDir) => {
  // In this order: there is one engine in a process, and if the cluster fails the next test needs it.
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
