import type { Database } from '../infra/clickhouse/database.ts'
import { isOperationError } from '../infra/errors.ts'
import { topics } from '../schemas/topics.ts'
import { completeness, lastTickAt } from './at-cut.ts'
import type { Cut } from './chain-a/queries/chain-a-views.ts'

const topic = 'chain-a-derived'

/**
 * The newest instant on the grid that is complete: every partition is written beyond it, so nothing known by then can
 * still come. Null while a partition has not been projected at all.
 */
export async function newestCut(database: Database, gridMs: number): Promise<Cut | null> {
  const completeAtMs = await completeUntil(database)
  return completeAtMs === null ? null : cutOfTick(database, Math.floor(completeAtMs / gridMs) * gridMs)
}

/** Null when nothing was known then, or when not all that was known then is projected yet. */
export async function cutAt(database: Database, atMs: number): Promise<Cut | null> {
  const completeAtMs = await completeUntil(database)
  return completeAtMs === null || atMs > completeAtMs ? null : cutOfTick(database, atMs)
}

/** The last whole instant that no later tick can carry. */
async function completeUntil(database: Database): Promise<number | null> {
  const [row] = await nullWithoutTables(
    database.query<{ partitionCount: string; knownAtMs: string }>(`SELECT * FROM ${completeness(topic)}`),
  )
  return !row || Number(row.partitionCount) < topics[topic].partitionCount ? null : Number(row.knownAtMs) - 1
}

type TickRow = Readonly<{
  blockNumber: string
  blockAtMs: string
  ethUsd: number | null
  ethUsdAtMs: string | null
  source: Cut['source']
}>

/** Ticks come at least once a second while the service runs. */
const nearMs = 3_600_000

async function cutOfTick(database: Database, atMs: number): Promise<Cut | null> {
  const select = (source: string) =>
    database.query<TickRow>(
      `SELECT block_number AS blockNumber, block_at_ms AS blockAtMs, eth_usd AS ethUsd, eth_usd_at_ms AS ethUsdAtMs, source
       FROM ${source}`,
    )
  const [near] = await select(lastTickAt(topic, atMs, nearMs))
  const row = near ?? (await select(lastTickAt(topic, atMs)))[0]
  if (!row) return null
  return {
    atMs,
    blockNumber: Number(row.blockNumber),
    blockAtMs: Number(row.blockAtMs),
    ethUsd: row.ethUsd,
    ethUsdAtMs: row.ethUsdAtMs === null ? null : Number(row.ethUsdAtMs),
    source: row.source,
  }
}

/** ClickHouse's codes for an unknown table and an unknown database: the projections have not run yet. */
const missingCodes = new Set(['60', '81'])

async function nullWithoutTables<Row>(rows: Promise<readonly Row[]>): Promise<readonly Row[]> {
  try {
    return await rows
  } catch (error) {
    if (isOperationError(error, 'database_failed') && missingCodes.has(String(error.context.code))) return []
    throw error
  }
}
