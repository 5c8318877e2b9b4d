/**
 * The check of ClickHouse by `launch-data doctor`: whether it answers, and whether its tables match this
 * version of the code.
 */
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { type Check, examine, listed, ok, wrong } from '../check.ts'

import type { Config } from '../config.ts'
import { dataDirOwner } from '../data-dir/data-dir-lock.ts'
import { isOperationError } from '../errors.ts'
import { createDatabase, type Database } from './database.ts'

/** A function that returns the state of each migration of this version in a database. */
type Migrations = (
  database: Database,
) => Promise<readonly Readonly<{ name: string; state: 'applied' | 'missing' | 'changed' }>[]>

type CheckOptions = Readonly<{ config: Config; migrations: Migrations }>

const name = 'tables'

export function checkTables(config: Config, migrations: Migrations): Promise<Check> {
  const options = { config, migrations }
  return config.CLICKHOUSE_URL === undefined ? checkEmbedded(options) : checkServer(options, config.CLICKHOUSE_URL)
}

function checkServer(options: CheckOptions, url: string): Promise<Check> {
  const where = `ClickHouse at ${new URL(url).host}`
  return examine({ name, where, toDo: 'start the server, or correct CLICKHOUSE_URL' }, () =>
    checkDatabase(options, where),
  )
}

function checkEmbedded(options: CheckOptions): Promise<Check> {
  const { DATA_DIR: dataDir } = options.config
  const where = 'embedded ClickHouse'
  return examine({ name, toDo: 'install the optional package chdb (npm ci), or set CLICKHOUSE_URL' }, async () => {
    await import('chdb/connection')
    const pid = await dataDirOwner(dataDir)
    // This process cannot look at the tables, because only one process can open the engine's folder.
    if (pid !== null) return ok(name, `${where}, open in process ${pid}`)
    const isThere = await access(join(dataDir, 'clickhouse')).then(
      () => true,
      () => false,
    )
    return isThere ? checkDatabase(options, where) : ok(name, `${where}, no tables yet: "launch-data up" makes them`)
  })
}

async function checkDatabase({ config, migrations }: CheckOptions, where: string): Promise<Check> {
  const database = await createDatabase({ url: config.CLICKHOUSE_URL, dataDir: config.DATA_DIR, role: 'reader' })
  try {
    return await checkMigrations(database, where, await migrations(database))
  } catch (error) {
    if (!isMissing(error)) throw error
    return ok(name, `${where} answers, no tables yet: "launch-data project" makes them`)
  } finally {
    await database.close()
  }
}

async function checkMigrations(
  database: Database,
  where: string,
  migrations: Awaited<ReturnType<Migrations>>,
): Promise<Check> {
  const [row] = await database.query<Readonly<{ version: string }>>('SELECT version() AS version')
  const named = (wanted: string) => migrations.filter(({ state }) => state === wanted).map(({ name: file }) => file)
  const says = `${where}, version ${row?.version}, database ${database.name}`
  const [changed, missing] = [named('changed'), named('missing')]
  if (changed.length > 0)
    return wrong(
      name,
      `${says}: another version of ${listed(changed)} built the tables`,
      'run "launch-data project --rebuild"',
    )
  const todo = missing.length > 0 ? `; the next start of the projections adds ${listed(missing)}` : ''
  return ok(name, `${says}: ${migrations.length - missing.length} of ${migrations.length} migrations${todo}`)
}

/** Whether ClickHouse has no such table (code 60) or no such database (code 81). */
const isMissing = (error: unknown): boolean =>
  isOperationError(error, 'database_failed') && ['60', '81'].includes(String(error.context.code))
