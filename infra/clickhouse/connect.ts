/**
 * Connections to ClickHouse through one client library: to a server over HTTP, or to the embedded engine in this
 * process.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { OperationError } from '../errors.ts'
import { tablesDamaged } from './damaged-tables.ts'
import { openingFailure, refuseUnwritable } from './opening-failure.ts'

export type DatabaseOptions = Readonly<{
  /**
   * The URL of a ClickHouse server. Its path, if any, is the name of the database. Undefined for the embedded engine,
   * which runs in this process.
   */
  url?: string | undefined
  /** The data directory. The embedded engine keeps its tables in `dataDir/clickhouse`. */
  dataDir: string
  /**
   * On a server, only a writer creates a missing database. In the embedded engine, a writer has one connection and a
   * reader has two. Each connection runs one query at a time.
   */
  role: 'writer' | 'reader'
  /** The name of the database. Default: the name in the URL, otherwise `launch_data`. */
  name?: string
}>

export type Connections = Readonly<{ name: string; clients: readonly ClickHouseClient[] }>

const databaseNameDefault = 'launch_data'
/**
 * The connection type of the ClickHouse client. The client and chdb each declare this type privately, so the compiler
 * treats the two as different types.
 */
type EngineConnection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>

/**
 * The number of a reader's connections to the embedded engine. Each connection runs one query at a time, which occupies
 * one of the four threads of Node's pool.
 */
const embeddedReaderCount = 2
const requestTimeoutMs = 60_000
/**
 * Switches off the client's own log. All failures are thrown, and the client would log them a second time, with the
 * query.
 */
const log = { level: ClickHouseLogLevel.OFF }

/**
 * Fails with:
 * - `database_failed`
 * - `data_dir_in_use` if another process has the embedded tables open
 * - `dependency_missing` if no server is configured and the embedded engine is not installed
 */
export function connect(options: DatabaseOptions): Promise<Connections> {
  return options.url === undefined ? connectEmbedded(options) : connectServer(options.url, options)
}

async function connectServer(url: string, { role, name: wanted }: DatabaseOptions): Promise<Connections> {
  const server = new URL(url)
  const name = checkedName(wanted ?? (decodeURIComponent(server.pathname.slice(1)) || databaseNameDefault))
  server.pathname = '/'
  const base = { url: server.href, request_timeout: requestTimeoutMs, log }
  if (role === 'writer') {
    const client = createClient(base)
    try {
      await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${name}` })
    } finally {
      await client.close()
    }
  }
  return { name, clients: [createClient({ ...base, database: name })] }
}

async function connectEmbedded({ dataDir, role, name: wanted }: DatabaseOptions): Promise<Connections> {
  const name = checkedName(wanted ?? databaseNameDefault)
  const path = join(dataDir, 'clickhouse')
  // Only this user may read the folder, because its tables contain the chat platform's ids of chats and posters. Answers contain only
  // hashes of these ids.
  await mkdir(path, { recursive: true, mode: 0o700 })
  await refuseUnwritable(path)
  const { createChdbConnection } = await importEngine()
  const clients: ClickHouseClient[] = []
  try {
    for (let index = 0; index < (role === 'reader' ? embeddedReaderCount : 1); index++) {
      const client = createClient({ connection: createChdbConnection({ path }) as unknown as EngineConnection, log })
      clients.push(client)
      // The engine's default database is not Atomic and does not support EXCHANGE TABLES.
      await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${name} ENGINE = Atomic` })
      await client.command({ query: `USE ${name}` })
    }
    await refuseBrokenParts(clients[0], dataDir)
  } catch (cause) {
    await Promise.all(clients.map((client) => client.close()))
    throw openingFailure(dataDir, path, cause)
  }
  return { name, clients }
}

/**
 * Loads the engine's library in this thread, which keeps the library loaded until the process ends. Without
 * this call, the library is unloaded when the last thread that loaded it ends. Threads of the engine may
 * still run at that time, and the process would crash. Fails with `dependency_missing`.
 */
export const holdEngine = async (): Promise<void> => void (await importEngine())

async function importEngine(): Promise<typeof import('chdb/connection')> {
  try {
    return await import('chdb/connection')
  } catch (cause) {
    throw new OperationError(
      'dependency_missing',
      'the embedded ClickHouse is not installed. Install the optional package chdb, or set CLICKHOUSE_URL',
      { cause },
    )
  }
}

/** Fails if the engine could not read some parts when it started. The engine skips such parts, so answers would lack rows. */
async function refuseBrokenParts(client: ClickHouseClient | undefined, dataDir: string): Promise<void> {
  const broken = await client?.query({
    query: `SELECT database, table, name FROM system.detached_parts WHERE startsWith(reason, 'broken') LIMIT 1`,
    format: 'JSONEachRow',
  })
  const [part] = (await broken?.json<Readonly<{ database: string; table: string; name: string }>>()) ?? []
  if (part) throw tablesDamaged(dataDir, `part ${part.name} of ${part.database}.${part.table} cannot be read`)
}

function checkedName(name: string): string {
  if (!/^[A-Za-z_]\w*$/.test(name))
    throw new OperationError(
      'config_invalid',
      'the name of the ClickHouse database must consist of letters, digits and _. Correct the path of CLICKHOUSE_URL',
    )
  return name
}
