/** Connections to ClickHouse: one client library, over HTTP to a server or into the engine inside this process. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { isOperationError, OperationError } from '../errors.ts'

export type DatabaseOptions = Readonly<{
  /** A ClickHouse server; its path, when there is one, names the database. Undefined: the engine in this process. */
  url?: string | undefined
  /** The embedded tables stand in `dataDir/clickhouse`. */
  dataDir: string
  /** A writer makes the database when it is missing. Readers answer several queries at a time, a writer one. */
  role: 'writer' | 'reader'
  /** Which database; default that of the url, else `launch_data`. */
  name?: string
}>

export type Connections = Readonly<{ name: string; clients: readonly ClickHouseClient[] }>

const databaseNameDefault = 'launch_data'
/** One type in two packages, each with its own private declarations: the compiler cannot see that they are the same. */
type EngineConnection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>

/** The engine runs the queries of one connection one after the other, and each holds a thread of Node's pool of four. */
const embeddedReaderCount = 2
const requestTimeoutMs = 60_000
/** Failures are thrown. The client would print them too, with the query. */
const log = { level: ClickHouseLogLevel.OFF }

/**
 * Connects; fails with `database_failed`, `data_dir_in_use` (another process has the embedded tables) or
 * `dependency_missing` (no server configured and no engine installed).
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
  await mkdir(path, { recursive: true })
  const { createChdbConnection } = await importEngine()
  const clients: ClickHouseClient[] = []
  try {
    for (let index = 0; index < (role === 'reader' ? embeddedReaderCount : 1); index++) {
      const client = createClient({ connection: createChdbConnection({ path }) as unknown as EngineConnection, log })
      clients.push(client)
      // The engine's own default database is no Atomic one: no EXCHANGE TABLES there.
      await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${name} ENGINE = Atomic` })
      await client.command({ query: `USE ${name}` })
    }
  } catch (cause) {
    await Promise.all(clients.map((client) => client.close()))
    throw openingFailure(path, cause)
  }
  return { name, clients }
}

async function importEngine(): Promise<typeof import('chdb/connection')> {
  try {
    return await import('chdb/connection')
  } catch (cause) {
    throw new OperationError(
      'dependency_missing',
      'the embedded ClickHouse is not installed: install the optional package chdb, or set CLICKHOUSE_URL',
      { cause },
    )
  }
}

/** The engine gives the reason on standard error only. It is nearly always that another process has the folder open. */
function openingFailure(path: string, cause: unknown): OperationError {
  if (isOperationError(cause)) return cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  return /Failed to create connection|only one active data directory/.test(reason)
    ? new OperationError('data_dir_in_use', `the tables in ${path} cannot be opened: another program has them open`, {
        cause,
      })
    : new OperationError('database_failed', `the tables in ${path} cannot be opened: ${reason}`, { cause })
}

function checkedName(name: string): string {
  if (!/^[A-Za-z_]\w*$/.test(name))
    throw new OperationError('config_invalid', 'the name of a ClickHouse database must be letters, digits and _')
  return name
}
