/**
 * Opens an embedded ClickHouse with a writer for the tests of a `describe`. The data folder is removed after
 * the tests.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, type Database } from '../../infra/clickhouse/database.ts'
import { closeAll } from './close-all.ts'

/** Opens the database before the first test and passes it to `opened`. */
export function databaseOfTests(opened: (database: Database) => Promise<void> | void): void {
  let dataDir: string
  let database: Database | undefined
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-'))
    database = await createDatabase({ dataDir, role: 'writer' })
    await opened(database)
  })
  after(() => closeAll(database?.close, () => rm(dataDir, { recursive: true, force: true })))
}
