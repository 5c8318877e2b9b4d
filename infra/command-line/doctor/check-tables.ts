/** ClickHouse: whether it answers, and whether its tables are those of this code. */
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { appliedMigrations } from '../../../projections/main.ts'
import { type Check, examine, listed, ok, wrong } from '../../check.ts'
import { createDatabase, type Database } from '../../clickhouse/database.ts'
import type { Config } from '../../config.ts'
import { dataDirOwner } from '../../data-dir/data-dir-lock.ts'
import { isOperationError } from '../../errors.ts'

const name = 'tables'

export function checkTables(config: Config): Promise<Check> {
  return config.CLICKHOUSE_URL === undefined ? checkEmbedded(config) : checkServer(config, config.CLICKHOUSE_URL)
}

function checkServer(config: Config, url: string): Promise<Check> {
  const where = `ClickHouse at ${new URL(url).host}`
  return examine({ name, where, toDo: 'start the server, or correct CLICKHOUSE_URL' }, () =>
    checkDatabase(config, where),
  )
}

function checkEmbedded(config: Config): Promise<Check> {
  const where = 'embedded ClickHouse'
  return examine({ name, toDo: 'install the optional package chdb (npm ci), or set CLICKHOUSE_URL' }, async () => {
    await import('chdb/connection')
    const pid = await dataDirOwner(config.DATA_DIR)
    // Only one process can open the engine's folder.
    if (pid !== null) return ok(name, `${where}, open in process ${pid}`)
    const isThere = await access(join(config.DATA_DIR, 'clickhouse')).then(
      () => true,
      () => false,
    )
    return isThere ? checkDatabase(config, where) : ok(name, `${where}, no tables yet: "launch-data up" makes them`)
  })
}

async function checkDatabase(config: Config, where: string): Promise<Check> {
  const database = await createDatabase({ url: config.CLICKHOUSE_URL, dataDir: config.DATA_DIR, role: 'reader' })
  try {
    return await checkMigrations(database, where)
  } catch (error) {
    if (!isMissing(error)) throw error
    return ok(name, `${where} answers, no tables yet: "launch-data project" makes them`)
  } finally {
    await database.close()
  }
}

async function checkMigrations(database: Database, where: string): Promise<Check> {
  const migrations = await appliedMigrations(database)
  const [row] = await database.query<Readonly<{ version: string }>>('SELECT version() AS version')
  const named = (wanted: string) => migrations.filter(({ state }) => state === wanted).map(({ name: file }) => file)
  const says = `${where}, version ${row?.version}, database ${database.name}`
  const [changed, missing] = [named('changed'), named('missing')]
  if (changed.length > 0)
    return wrong(name, `${says}: made by another ${listed(changed)}`, 'run "launch-data project --rebuild"')
  const todo = missing.length > 0 ? `; the next start of the projections adds ${listed(missing)}` : ''
  return ok(name, `${says}: ${migrations.length - missing.length} of ${migrations.length} migrations${todo}`)
}

/** ClickHouse's codes for an unknown table and an unknown database. */
const isMissing = (error: unknown): boolean =>
  isOperationError(error, 'database_failed') && ['60', '81'].includes(String(error.context.code))
