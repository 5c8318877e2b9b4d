import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createDatabase, type Database } from '../../../infra/clickhouse/database.ts'
import { chainAProjection } from '../../../projections/chain-a/projection.ts'
import { projections } from '../../../projections/projections.ts'
import { migrate, readMigrations } from '../../../projections/sink/migrate.ts'

/** Those that databases out there have applied. */
const released = [
  ['0001-watermarks.sql', '63df24de336ae6cf2ba63e4a8f39b801ebe9962e0b738eff8482ec3e7e082cab'],
  ['0002-ticks.sql', '77a6dd60295df0b97213b7a8253af9d6119a04d1e1230bc9063960feaccacb6a'],
  ['0003-pools.sql', '97edab5dc16406874c350c425072e9b976e7588209ca87944952437efbf5499a'],
  ['0004-pool-minutes.sql', '67bc300e73decd7345cb2739194af5546b040815d944e107a84aea17929c95e9'],
  ['0005-bursts.sql', '8b9b923bdd57a5c01dea949dbf14843fed5ebc66204286a86e0a3cd173a72c2a'],
  ['0006-burst-buyers.sql', '69a5db5a1eec3be1c3b13f28c8278058f83d51f8a18dbce74fd0a35357b29c67'],
  ['0007-burst-outcomes.sql', '72cc079a92ea84a1ceb5df35d81c446e0a5aaac0ddd8b0ef7c5ed19bbd0b3150'],
  ['0008-bursts-supersedes.sql', 'fb7df14be078f630fa21ca6cc489e6dda35c14bc5939dec59c7d0f7f6c9ee9ae'],
  ['0009-burst-lp.sql', 'fa3fdfd0f5492fcf3755992bbf43b28663b1343d185868de06e2d2750d8e6edc'],
  ['0010-pool-profiles.sql', 'e3dd807940ec42b368ea352afe8b058809751a3b7de6da176139e14cb6e0ba42'],
  ['0011-launch-curves.sql', '5673e6ea5dc27491ef7256d8e855f338c131673859300dc2471f932979ae3ca1'],
  ['0012-pool-minutes-codecs.sql', '79bfe75a958feb81026d6cf83cfe8741ffff3ffc9320c6446737314b7d0d99dd'],
  ['0013-pool-profiles-codecs.sql', 'e1835054a036360f721d7133eee40dfdd25fe8ce8175710196972ca1ba692570'],
  ['0014-pool-minutes-cleanup.sql', 'b5e92cce652ef8ff75682059bafd57479c26b1c982ba9e107d4721afb7c43844'],
] as const

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

  it('finds the released files as they were released', async () => {
    const checksums = new Map(
      (await readMigrations(projections)).map(({ name, sql }) => [
        name,
        createHash('sha256').update(sql).digest('hex'),
      ]),
    )
    for (const [name, checksum] of released) expect(checksums.get(name), name).to.equal(checksum)
  })

  it('refuses two files of one number', async () => {
    expect(await failureOf(readMigrations([chainAProjection, chainAProjection]))).to.include({
      message: 'two migrations have the number 0003',
    })
  })
})
