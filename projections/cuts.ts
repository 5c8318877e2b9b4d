/** Cuts: instants of knowledge that answers are made at. */
import type { Database } from '../infra/clickhouse/database.ts'
import { isOperationError } from '../infra/errors.ts'
import type { Stage } from '../schemas/stage.ts'
import type { CoinPrice, SourceKind } from '../schemas/tick.ts'
import { completeness, lastTickAt } from './at-cut.ts'

/**
 * A stage at a cut: what its log knew by `atMs`, no more and no less. `blockAtMs`: time of the newest block complete at
 * that instant. The price is null until a feed has spoken.
 */
export type StageCut = Readonly<{
  atMs: number
  blockNumber: number
  blockAtMs: number
  coinPrice: CoinPrice | null
  source: SourceKind
}>

/** One instant of several stages, by the stages' names. */
export type Cut = Readonly<{ atMs: number; stages: Readonly<Record<string, StageCut>> }>

export type Cuts = Readonly<{
  /**
   * The newest instant on the grid that is complete: every partition of every stage is written beyond it, so nothing known
   * by then can still come. Null while a partition has not been projected at all.
   */
  newest(stages: readonly Stage[]): Promise<Cut | null>
  /** Null when nothing was known then, or when not all that was known then is projected yet. */
  at(atMs: number, stages: readonly Stage[]): Promise<Cut | null>
}>

/** `gridMs`: how far apart the newest cuts are. */
export function createCuts({ database, gridMs }: Readonly<{ database: Database; gridMs: number }>): Cuts {
  return {
    async newest(stages) {
      const completeAtMs = await completeUntil(database, stages)
      return completeAtMs === null ? null : cutAt(database, Math.floor(completeAtMs / gridMs) * gridMs, stages)
    },
    async at(atMs, stages) {
      const completeAtMs = await completeUntil(database, stages)
      return completeAtMs === null || atMs > completeAtMs ? null : cutAt(database, atMs, stages)
    },
  }
}

/** The last whole instant that no later tick of any of the stages can carry. */
async function completeUntil(database: Database, stages: readonly Stage[]): Promise<number | null> {
  const ends = await Promise.all(stages.map((stage) => stageCompleteUntil(database, stage)))
  return ends.reduce((least, end) => (least === null || end === null ? null : Math.min(least, end)))
}

async function stageCompleteUntil(database: Database, { derivedTopic }: Stage): Promise<number | null> {
  const [row] = await nullWithoutTables(
    database.query<{ partitionCount: string; knownAtMs: string }>(`SELECT * FROM ${completeness(derivedTopic.name)}`),
  )
  return !row || Number(row.partitionCount) < derivedTopic.partitionCount ? null : Number(row.knownAtMs) - 1
}

async function cutAt(database: Database, atMs: number, stages: readonly Stage[]): Promise<Cut | null> {
  const found: Record<string, StageCut> = {}
  for (const stage of stages) {
    const cut = await stageCutAt(database, atMs, stage)
    if (cut === null) return null
    found[stage.name] = cut
  }
  return { atMs, stages: found }
}

type TickRow = Readonly<{
  blockNumber: string
  blockAtMs: string
  ethUsd: number | null
  ethUsdAtMs: string | null
  source: SourceKind
}>

/** Ticks come at least once a second while the service runs. */
const nearMs = 3_600_000

async function stageCutAt(database: Database, atMs: number, { derivedTopic }: Stage): Promise<StageCut | null> {
  const select = (source: string) =>
    database.query<TickRow>(
      `SELECT block_number AS blockNumber, block_at_ms AS blockAtMs, eth_usd AS ethUsd, eth_usd_at_ms AS ethUsdAtMs, source
       FROM ${source}`,
    )
  const [near] = await select(lastTickAt(derivedTopic.name, atMs, nearMs))
  const row = near ?? (await select(lastTickAt(derivedTopic.name, atMs)))[0]
  if (!row) return null
  return {
    atMs,
    blockNumber: Number(row.blockNumber),
    blockAtMs: Number(row.blockAtMs),
    coinPrice:
      row.ethUsd === null || row.ethUsdAtMs === null ? null : { usd: row.ethUsd, atMs: Number(row.ethUsdAtMs) },
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
