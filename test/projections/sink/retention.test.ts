import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createDatabase, type Database } from '../../../infra/clickhouse/database.ts'
import { migrate, readMigrations } from '../../../projections/sink/migrate.ts'
import { createRetention } from '../../../projections/sink/retention.ts'
import { versionTableNames, type versionTables } from '../../../projections/tables.ts'

const dayMs = 86_400_000
const today = 20_700
/** The column that each table is partitioned by. */
const timeColumns = {
  ticks: 'known_at_ms',
  pools: 'created_at_ms',
  pool_minutes: 'minute_at_ms',
  bursts: 'at_ms',
  burst_buyers: 'at_ms',
  burst_outcomes: 'at_ms',
  burst_lp: 'at_ms',
  pool_profiles: 'created_at_ms',
  launch_curves: 'known_at_ms',
} as const

describe('retention of the tables', () => {
  let dataDir: string
  let database: Database
  const warnings: string[] = []
  const logger = { warn: (_: object, message: string) => void warnings.push(message) }

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-'))
    database = await createDatabase({ dataDir, role: 'writer' })
    await migrate(database, await readMigrations())
    await database.command(`INSERT INTO watermarks (topic, known_at_ms) VALUES ('chain-a-derived', 1)`)
    for (const table of versionTableNames)
      await database.command(
        `INSERT INTO ${table} (${timeColumns[table]}) SELECT (${today} - number) * ${dayMs} + 5 FROM numbers(80)`,
      )
  })
  after(async () => {
    await database.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  const oldestDayOf = async (table: keyof typeof versionTables): Promise<number> => {
    const [row] = await database.query<{ day: string }>(
      `SELECT intDiv(min(${timeColumns[table]}), ${dayMs}) AS day FROM ${table}`,
    )
    return Number(row?.day)
  }

  it('drops the days whose end is 35 days past, and partitions of many days only whole', async () => {
    const retention = createRetention({ database, logger })
    retention.reach(today * dayMs + 1)
    await retention.settle()
    for (const table of ['ticks', 'pools', 'pool_minutes', 'pool_profiles', 'launch_curves'] as const)
      expect(await oldestDayOf(table), table).to.equal(today - 35)
    for (const table of ['bursts', 'burst_buyers', 'burst_lp', 'burst_outcomes'] as const)
      expect(await oldestDayOf(table), table).to.equal(Math.floor((today - 35) / 30) * 30)
    expect(await database.query('SELECT topic FROM watermarks')).to.have.length(1)
    expect(warnings).to.deep.equal([])
  })

  it('looks again only after an hour of the time it is told', async () => {
    let asked = 0
    const counting = {
      query: async () => {
        asked += 1
        return []
      },
      command: database.command,
    }
    const retention = createRetention({ database: counting, logger })
    for (const atMs of [0, 3_599_999, 3_600_000, 3_600_001]) {
      retention.reach(today * dayMs + atMs)
      await retention.settle()
    }
    expect(asked).to.equal(2)
  })

  it('says what went wrong and goes on', async () => {
    const failing = { query: () => Promise.reject(new RangeError('down')), command: database.command }
    const retention = createRetention({ database: failing, logger })
    retention.reach(today * dayMs)
    await retention.settle()
    expect(warnings).to.deep.equal(['old rows were not dropped; it is tried again in an hour'])
  })
})
