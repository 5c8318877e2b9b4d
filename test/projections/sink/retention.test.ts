import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createDatabase, type Database } from '../../../infra/clickhouse/database.ts'
import { chainAProjection } from '../../../projections/chain-a/projection.ts'
import { pools } from '../../../projections/chain-a/tables/pools.ts'
import { type Projection, tablesOf } from '../../../projections/projection.ts'
import { migrate, readMigrations } from '../../../projections/sink/migrate.ts'
import { createRetention } from '../../../projections/sink/retention.ts'
import type { AnyTable } from '../../../projections/table.ts'
import { ticks } from '../../../projections/ticks.ts'
import { toyProjection } from '../toy/projection.ts'

const dayMs = 86_400_000
const today = 20_700
const projections = [chainAProjection]
const tables = tablesOf(projections)

describe('retention of the tables', () => {
  let dataDir: string
  let database: Database
  const warnings: string[] = []
  const logger = { warn: (_: object, message: string) => void warnings.push(message) }

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-'))
    database = await createDatabase({ dataDir, role: 'writer' })
    await migrate(database, await readMigrations(projections))
    await database.command(`INSERT INTO watermarks (topic, known_at_ms) VALUES ('chain-a-derived', 1)`)
    for (const { name, partition } of tables)
      await database.command(
        `INSERT INTO ${name} (${partition.column}) SELECT (${today} - number) * ${dayMs} + 5 FROM numbers(80)`,
      )
  })
  after(async () => {
    await database.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  const oldestDayOf = async ({ name, partition }: AnyTable): Promise<number> => {
    const [row] = await database.query<{ day: string }>(
      `SELECT intDiv(min(${partition.column}), ${dayMs}) AS day FROM ${name}`,
    )
    return Number(row?.day)
  }

  it('drops the days whose end is 35 days past, and partitions of many days only whole', async () => {
    const retention = createRetention({ database, projections, logger })
    retention.reach(chainAProjection, today * dayMs + 1)
    await retention.settle()
    const ofCalls = ['calls', 'call_scores', 'scanner_grades', 'precalls', 'precall_buyers']
    const ofDays = [
      'ticks',
      'restatements',
      'pools',
      'pool_minutes',
      'pool_profiles',
      'launch_curves',
      'trade_gaps',
      ...ofCalls,
    ]
    const ofDesk = ['opens', 'trades', 'twins', 'shadows'].map((name) => `desk_${name}`)
    const ofMonths = ['subject_rows', 'bursts', 'burst_buyers', 'burst_lp', 'burst_outcomes', ...ofDesk]
    expect(tables.map(({ name }) => name)).to.have.members([...ofDays, ...ofMonths])
    for (const table of tables)
      expect(await oldestDayOf(table), table.name).to.equal(
        ofDays.includes(table.name) ? today - 35 : Math.floor((today - 35) / 30) * 30,
      )
    expect(await database.query('SELECT topic FROM watermarks')).to.have.length(1)
    expect(warnings).to.deep.equal([])
  })

  it('drops of the ticks what no stage asks for any more', async () => {
    const retention = createRetention({ database, projections: [toyProjection, chainAProjection], logger })
    const reach = async (projection: Projection, day: number) => {
      retention.reach(projection, day * dayMs + 1)
      await retention.settle()
    }
    // The other stage has reported no progress since the start, so it may be far behind.
    await reach(chainAProjection, today + 10)
    expect(await oldestDayOf(ticks)).to.equal(today - 35)
    expect(await oldestDayOf(pools)).to.equal(today + 10 - 35)
    await reach(toyProjection, today - 4)
    expect(await oldestDayOf(ticks)).to.equal(today - 35)
    await reach(toyProjection, today + 2)
    expect(await oldestDayOf(ticks)).to.equal(today + 2 - 35)
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
    const retention = createRetention({ database: counting, projections, logger })
    for (const atMs of [0, 3_599_999, 3_600_000, 3_600_001]) {
      retention.reach(chainAProjection, today * dayMs + atMs)
      await retention.settle()
    }
    expect(asked).to.equal(2)
  })

  it('says what went wrong and goes on', async () => {
    const failing = { query: () => Promise.reject(new RangeError('down')), command: database.command }
    const retention = createRetention({ database: failing, projections, logger })
    retention.reach(chainAProjection, today * dayMs)
    await retention.settle()
    expect(warnings).to.deep.equal(['old rows could not be dropped. The next attempt is in an hour'])
  })
})
