/**
 * Depending on its argument, creates a table in a data directory, sums the table, or keeps the tables open
 * until it is killed. Prints the result.
 */
import { createDatabase } from '../../../infra/clickhouse/database.ts'

const [dataDir = '', what] = process.argv.slice(2)
let fatal: string | undefined
try {
  const database = await createDatabase({
    ...{ dataDir, role: 'writer' },
    onFatal: ({ message }) => {
      fatal = message
    },
  })
  if (what === 'hold') {
    console.log('held')
    await new Promise(() => setInterval(() => undefined, 1_000))
  }
  if (what === 'make') {
    await database.command(
      'CREATE TABLE sums (id Int64) ENGINE = MergeTree ORDER BY id SETTINGS min_bytes_for_wide_part = 1000000',
    )
    await database.insert({ table: 'sums', columns: ['id'], rows: Array.from({ length: 1000 }, (_, id) => [id]) })
  }
  const [row] = await database.query<Readonly<{ sum: string }>>('SELECT sum(id) AS sum FROM sums')
  console.log(JSON.stringify(row))
  await database.close()
} catch (error) {
  console.log(JSON.stringify({ error: (error as Error).message, fatal }))
}
process.exit()
