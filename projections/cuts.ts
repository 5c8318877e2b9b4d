/** Finds the instants of knowledge time at which the tables can be queried, and the state of each stage at these instants. */

import type { Database } from '../infra/clickhouse/database.ts'
import { isOperationError } from '../infra/errors.ts'
import type { Stage } from '../schemas/stage.ts'
import { type CoinPrice, coinPriceOf, type SourceKind } from '../schemas/tick.ts'
import { type BlockNumber, type EpochMs, hourMs } from '../schemas/units.ts'
import { completeness, firstTick, lastTickAt } from './at-cut.ts'
import { rowOf, type Selected, selectOf } from './select.ts'
import { ticks } from './ticks.ts'

/**
 * The state of one stage at the knowledge time `atMs`, which all partitions of the stage have passed. `blockNumber` and `blockAtMs` are
 * those of the newest block that was then complete. `coinPrice` is null until a feed has given a price.
 */
export type StageCut = Readonly<{
  atMs: EpochMs
  blockNumber: BlockNumber
  blockAtMs: EpochMs
  coinPrice: CoinPrice | null
  source: SourceKind
}>

/** An instant of knowledge time, with the state of each stage at that instant, by the name of the stage. */
export type Cut = Readonly<{ atMs: EpochMs; stages: Readonly<Record<string, StageCut>> }>

export type Cuts = Readonly<{
  /** The cut at the newest instant for which the tables of these stages are complete. Null: there is none yet. */
  newest(stages: readonly Stage[]): Promise<Cut | null>
  /** The cut at an earlier instant, for `asOf`. Null: a stage had no tick until the instant, or the projections have not passed it. */
  at(atMs: EpochMs, stages: readonly Stage[]): Promise<Cut | null>
  /**
   * The first instant at which all these stages had a tick. Ticks that are gone from the tables do not count. Null: a stage has no tick.
   */
  oldestAtMs(stages: readonly Stage[]): Promise<number | null>
}>

/** `database` has the reader role. */
export function createCuts({ database }: Readonly<{ database: Database }>): Cuts {
  return {
    async newest(stages) {
      const completeAtMs = await completeUntil(database, stages)
      return completeAtMs === null ? null : cutAt(database, completeAtMs, stages)
    },
    async at(atMs, stages) {
      return cutOf(atMs, stages, await Promise.all(stages.map((stage) => completeCutAt(database, atMs, stage))))
    },
    async oldestAtMs(stages) {
      const firsts = await Promise.all(stages.map((stage) => firstKnownOf(database, stage)))
      return firsts.reduce<number | null>(
        (latest, first) => (latest === null || first === null ? null : Math.max(latest, first)),
        0,
      )
    },
  }
}

/** The last millisecond of knowledge time for which the tables of these stages are complete. Null: a stage is not projected yet. */
async function completeUntil(database: Database, stages: readonly Stage[]): Promise<number | null> {
  const instants = await Promise.all(stages.map((stage) => stageCompleteUntil(database, stage)))
  const known = instants.filter((instant) => instant !== null)
  return known.length === stages.length && known.length > 0 ? Math.min(...known) : null
}

async function stageCompleteUntil(database: Database, { derivedTopic }: Stage): Promise<number | null> {
  const [row] = await nullWithoutTables(
    database.query<{ partitionCount: string; knownAtMs: string }>(`SELECT * FROM ${completeness(derivedTopic.name)}`),
  )
  return !row || Number(row.partitionCount) < derivedTopic.partitionCount ? null : Number(row.knownAtMs)
}

async function firstKnownOf(database: Database, { derivedTopic }: Stage): Promise<number | null> {
  const [row] = await nullWithoutTables(
    database.query<{ knownAtMs: string }>(`SELECT known_at_ms AS knownAtMs FROM ${firstTick(derivedTopic.name)}`),
  )
  return row ? Number(row.knownAtMs) : null
}

const cutAt = async (database: Database, atMs: EpochMs, stages: readonly Stage[]): Promise<Cut | null> =>
  cutOf(atMs, stages, await Promise.all(stages.map((stage) => stageCutAt(database, atMs, stage))))

function cutOf(atMs: EpochMs, stages: readonly Stage[], cuts: readonly (StageCut | null)[]): Cut | null {
  if (stages.length === 0) return null
  const found: Record<string, StageCut> = {}
  for (const [index, { name }] of stages.entries()) {
    const cut = cuts[index]
    if (!cut) return null
    found[name] = cut
  }
  return { atMs, stages: found }
}

/** The first query searches only this far back for a tick, which is faster. While the service runs, a tick comes at least every second. */
const nearMs = hourMs

/**
 * The state of the stage at the instant. Null: not all partitions have passed the instant, or nothing was known at that time. One query is
 * enough if a tick came within `nearMs` before the instant.
 */
async function completeCutAt(database: Database, atMs: EpochMs, stage: Stage): Promise<StageCut | null> {
  const { name, partitionCount } = stage.derivedTopic
  const [near] = await nullWithoutTables(
    database.query<Selected & Readonly<{ partitionCount: string; completeAtMs: string }>>(
      `SELECT ${selectOf(ticks, 't')}, c.partitionCount AS partitionCount, c.knownAtMs AS completeAtMs
       FROM ${lastTickAt(name, atMs, nearMs)} AS t CROSS JOIN ${completeness(name)} AS c`,
    ),
  )
  if (near !== undefined)
    return Number(near.partitionCount) < partitionCount || atMs > Number(near.completeAtMs)
      ? null
      : stageCutOf(atMs, near)
  const completeAtMs = await stageCompleteUntil(database, stage)
  return completeAtMs === null || atMs > completeAtMs ? null : stageCutAt(database, atMs, stage)
}

/**
 * The state of the stage at the instant according to the tables, even if the tables are not complete up to the instant. Null: the tables
 * have no tick of that time or before.
 */
export async function stageCutAt(
  database: Pick<Database, 'query'>,
  atMs: EpochMs,
  { derivedTopic }: Stage,
): Promise<StageCut | null> {
  const select = (source: string) => database.query<Selected>(`SELECT ${selectOf(ticks, 't')} FROM ${source} AS t`)
  const [near] = await select(lastTickAt(derivedTopic.name, atMs, nearMs))
  const selected = near ?? (await select(lastTickAt(derivedTopic.name, atMs)))[0]
  return selected === undefined ? null : stageCutOf(atMs, selected)
}

function stageCutOf(atMs: EpochMs, selected: Selected): StageCut {
  const tick = rowOf(ticks, 't', selected)
  const { blockNumber, blockAtMs, source } = tick
  return { atMs, blockNumber, blockAtMs, coinPrice: coinPriceOf(tick), source }
}

/** ClickHouse's codes for an unknown table and an unknown database. Both mean that the projections have not run yet. */
const missingCodes = new Set(['60', '81'])

async function nullWithoutTables<Row>(rows: Promise<readonly Row[]>): Promise<readonly Row[]> {
  try {
    return await rows
  } catch (error) {
    if (isOperationError(error, 'database_failed') && missingCodes.has(String(error.context.code))) return []
    throw error
  }
}
