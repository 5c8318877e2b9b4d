import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createDatabase, type Database } from '../../infra/clickhouse/database.ts'
import { appliedMigrations, projectHeld, rebuildTables } from '../../projections/main.ts'
import { silentLogger as logger } from '../replay/stage-log.ts'
import { buildScored, createCallsLog } from './calls/derived-log.ts'
import { mint } from './chain-b/derived-log.ts'
import { address, noonMs } from './derived-log.ts'

describe('the tables of the service', () => {
  let dataDir: string
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-'))
  })
  after(() => rm(dataDir, { recursive: true, force: true }))

  const withWriter = async <Result>(use: (database: Database) => Promise<Result>): Promise<Result> => {
    const database = await createDatabase({ dataDir, role: 'writer' })
    try {
      return await use(database)
    } finally {
      await database.close()
    }
  }
  const tokens = (database: Database) =>
    database
      .query<{ token: string }>('SELECT token FROM call_scores ORDER BY token')
      .then((rows) => rows.map((row) => row.token))

  it('are filled from the log of all stages, are known by their migrations, and are the same when rebuilt', async () => {
    const { log, registry, tick } = await createCallsLog()
    await tick(noonMs, { a: [[address(1), buildScored()]], b: [[mint(1), buildScored()]] })
    const { signal } = new AbortController()
    const options = { log, registry, database: { dataDir }, logger, signal }
    await projectHeld(options)
    const held = await withWriter(async (database) => {
      const states = (await appliedMigrations(database)).map(({ state }) => state)
      expect([...new Set(states)]).to.deep.equal(['applied'])
      const found = await tokens(database)
      await database.command('TRUNCATE TABLE call_scores')
      return found
    })
    expect(held).to.have.members([address(1), mint(1)])
    await rebuildTables(options)
    expect(await withWriter(tokens)).to.deep.equal(held)
  })
})
