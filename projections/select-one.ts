import assert from 'node:assert/strict'
import type { Database } from '../infra/clickhouse/database.ts'

/** Returns the row of a query that always has one row, such as a count without `GROUP BY`. */
export async function selectOne<Row>(
  database: Pick<Database, 'query'>,
  sql: string,
  parameters?: Parameters<Database['query']>[1],
): Promise<Row> {
  const [row] = await database.query<Row>(sql, parameters)
  assert(row !== undefined, `the query has no row: ${sql}`)
  return row
}
