import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { createDatabase, type Database } from '../../../infra/clickhouse/database.ts'
import { projections } from '../../../projections/projections.ts'
import { rebuildProjections } from '../../../projections/sink/rebuild.ts'
import { projectToEnd } from '../../../projections/sink/run.ts'
import { address, buildBurst, createDerivedLog, type DerivedLog, noonMs } from '../derived-log.ts'

describe('a rebuild', () => {
  let dataDir: string
  let derived: DerivedLog

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-'))
    derived = await createDerivedLog()
    await derived.tick(noonMs, [[address(1), buildBurst()]])
  })
  afterEach(() => rm(dataDir, { recursive: true, force: true }))

  const options = () => ({
    ...{ projections, log: derived.log, registry: derived.registry },
    ...{ logger: pino({ level: 'silent' }), signal: new AbortController().signal },
  })
  const rebuild = () => rebuildProjections({ ...options(), database: { dataDir } })
  const withWriter = async (use: (database: Database) => Promise<void>) => {
    const database = await createDatabase({ dataDir, role: 'writer' })
    try {
      await use(database)
    } finally {
      await database.close()
    }
  }
  const expectBursts = (burstCount: number) =>
    withWriter(async (database) => {
      await projectToEnd({ ...options(), database })
      expect(await database.query('SELECT count() AS n FROM bursts')).to.deep.equal([{ n: String(burstCount) }])
    })

  it('fills a database that has no tables yet', async () => {
    await rebuild()
    await derived.tick(noonMs + 1000, [[address(1), buildBurst({ atMs: noonMs + 1000 })]])
    await expectBursts(2)
  })

  it('replaces tables that other migrations have made', async () => {
    await withWriter(async (database) => {
      await projectToEnd({ ...options(), database })
      await database.command('ALTER TABLE bursts DROP COLUMN supersedes_at_ms')
      await database.command(
        `ALTER TABLE migrations UPDATE checksum = 'other' WHERE name = '0008-bursts-supersedes.sql' SETTINGS mutations_sync = 2`,
      )
      const failure = await projectToEnd({ ...options(), database }).catch((error) => error)
      expect(failure).to.include({ code: 'migration_changed' })
    })
    await rebuild()
    await expectBursts(1)
  })
})
