/** Creates tables with a different first migration, in the data directory that the argument names. */
import { createDatabase } from '../../../infra/clickhouse/database.ts'
import { migrate } from '../../../projections/sink/migrate.ts'

const database = await createDatabase({ dataDir: process.argv[2] ?? '', role: 'writer' })
await migrate(database, [{ name: '0001-watermarks.sql', sql: 'SELECT 1' }])
await database.close()
