import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createDatabase, type Database } from '../../../infra/clickhouse/database.ts'
import { migrate } from '../../../projections/sink/migrate.ts'

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error) => error,
  )

describe('migrate', () => {
  let dataDir: string
  let database: Database

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-'))
    database = await createDatabase({ dataDir, role: 'writer' })
  })
  after(async () => {
    await database.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  it('applies each migration once and refuses one that has changed', async () => {
    const migration = {
      name: '0001-a.sql',
      sql: 'CREATE TABLE IF NOT EXISTS a (x Int64) ENGINE = MergeTree ORDER BY x',
    }
    await migrate(database, [migration])
    await database.command('DROP TABLE a')
    await migrate(database, [migration])
    expect(await failureOf(database.query('SELECT x FROM a'))).to.include({ code: 'database_failed' })
    const changed = await failureOf(migrate(database, [{ ...migration, sql: `${migration.sql} -- more` }]))
    expect(changed).to.include({ code: 'migration_changed' })
    expect(changed.context).to.deep.equal({ name: '0001-a.sql' })
  })
})
