/** Each table is written twice: as a definition, which the code uses, and as migrations, which are frozen. Both must be equal. */
import { expect } from 'chai'
import type { Database } from '../../infra/clickhouse/database.ts'
import { bursts } from '../../projections/chain-a/tables/bursts.ts'
import { float64 } from '../../projections/columns.ts'
import { tablesOf } from '../../projections/projection.ts'
import { projections } from '../../projections/projections.ts'
import { migrate, migrationTable, readMigrations } from '../../projections/sink/migrate.ts'
import { type AnyTable, partitionSql, stampColumns } from '../../projections/table.ts'
import { watermarkColumns, watermarkTable } from '../../projections/watermarks.ts'
import { databaseOfTests } from '../support/database-of-tests.ts'

type Described = Readonly<{ columns: Readonly<Record<string, string>>; order: string; partition: string }>

const describeDefinition = (table: AnyTable): Described => ({
  columns: {
    ...Object.fromEntries(Object.entries(table.columns).map(([name, { type }]) => [name, type])),
    ...stampColumns,
  },
  order: table.order.join(', '),
  partition: partitionSql(table),
})

describe('the definitions of the tables', () => {
  let database: Database
  databaseOfTests(async (opened) => {
    database = opened
    await migrate(database, await readMigrations(projections))
  })

  const describeMade = async (name: string): Promise<Described> => {
    const columns = await database.query<{ name: string; type: string }>(
      'SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = {name:String}',
      { name },
    )
    const [keys] = await database.query<{ order: string; partition: string }>(
      `SELECT sorting_key AS order, partition_key AS partition FROM system.tables
       WHERE database = currentDatabase() AND name = {name:String}`,
      { name },
    )
    if (!keys) expect.fail(`no migration makes ${name}`)
    return { columns: Object.fromEntries(columns.map(({ name, type }) => [name, type])), ...keys }
  }

  for (const table of tablesOf(projections))
    it(`say what the migrations make: ${table.name}`, async () => {
      expect(await describeMade(table.name)).to.deep.equal(describeDefinition(table))
    })

  it('are there for every table that the migrations make', async () => {
    const made = await database.query<{ name: string }>(
      'SELECT name FROM system.tables WHERE database = currentDatabase()',
    )
    expect(made.map(({ name }) => name)).to.have.members([
      ...tablesOf(projections).map(({ name }) => name),
      watermarkTable,
      migrationTable,
    ])
    expect(Object.keys((await describeMade(watermarkTable)).columns)).to.have.members([...watermarkColumns])
  })

  it('are refused where they say something else', async () => {
    const made = await describeMade(bursts.name)
    const { px: _, ...withoutPx } = bursts.columns
    const wrong: readonly AnyTable[] = [
      { ...bursts, columns: withoutPx },
      { ...bursts, columns: { ...bursts.columns, extra: bursts.columns.px } },
      { ...bursts, columns: { ...bursts.columns, buys: float64((burst: { buys: number }) => burst.buys) } },
      { ...bursts, order: ['pool', ...bursts.order] },
      { ...bursts, partition: { column: 'at_ms', everyMs: 1 } },
    ]
    for (const definition of wrong) expect(describeDefinition(definition)).to.not.deep.equal(made)
    expect(describeDefinition({ ...bursts })).to.deep.equal(made)
  })
})
