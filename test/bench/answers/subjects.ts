/** Selects random subjects of requests from the tables, for example tokens or wallets. */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { dayMs, type EpochMs, hourMs } from '../../../schemas/units.ts'

const countMax = 200

/**
 * Returns up to 200 subjects for each route, by the pattern of the route. Their order is random, but the same
 * in each run.
 */
export async function subjectsIn(database: Database, atMs: EpochMs): Promise<ReadonlyMap<string, readonly string[]>> {
  // Rows near the end of a route's time range are left out, because the route may no longer answer about
  // their tokens or wallets.
  const [dayAgo, twoDaysAgo, fortnightAgo] = [
    atMs - dayMs + hourMs,
    atMs - 2 * dayMs + hourMs,
    atMs - 14 * dayMs + hourMs,
  ]
  const draw = async (column: string, from: string): Promise<readonly string[]> => {
    const rows = await database.query<Readonly<{ subject: string }>>(
      `SELECT DISTINCT ${column} AS subject FROM ${from} ORDER BY sipHash64(subject) LIMIT ${countMax}`,
    )
    return rows.map(({ subject }) => subject)
  }
  const isOf = (chain: string) => `chain = '${chain}'`
  const tokens = await draw('token', `pools WHERE created_at_ms > ${dayAgo} AND withdrawn = 0`)
  return new Map([
    [
      '/v1/rh/pools/:id/flow',
      await draw('pool', `pools WHERE created_at_ms > ${dayAgo} AND px IS NOT NULL AND withdrawn = 0`),
    ],
    ['/v1/rh/token/:addr/rugcheck', tokens],
    ['/v1/rh/token/:addr/verdict', tokens],
    [
      '/v1/rh/token/:addr/precall',
      await draw('token', `precalls WHERE ${isOf('chain-a')} AND posted_at_ms > ${twoDaysAgo}`),
    ],
    ['/v1/sol/token/:mint/verdict', await draw('mint', `chain_b_bursts WHERE at_ms > ${twoDaysAgo}`)],
    ['/v1/sol/wallets/:addr/copy-stats', await draw('wallet', `chain_b_copies WHERE at_ms > ${fortnightAgo}`)],
    ['/v1/scanner/:mint', await draw('token', `scanner_grades WHERE last_card_at_ms > ${twoDaysAgo}`)],
  ])
}
