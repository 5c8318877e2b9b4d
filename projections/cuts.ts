/** Finds cuts: times for which the tables can be queried, with the state of each stage at that time. */

import type { Database } from '../infra/clickhouse/database.ts'
import { isOperationError } from '../infra/errors.ts'
import type { Stage } from '../schemas/stage.ts'
import { type CoinPrice, coinPriceOf, type SourceKind } from '../schemas/tick.ts'
import { type BlockNumber, type EpochMs, hourMs } from '../schemas/units.ts'
import { completeness, firstTick, lastTickAt } from './at-cut.ts'
import { type LastKnown, lastKnownOf } from './recent-writes.ts'
import { rowOf, type Selected, selectOf } from './select.ts'
import { ticks } from './ticks.ts'

/**
 * What the service knew of one stage at the time `atMs`. All partitions of the stage had passed this time.
 * `blockNumber` and `blockAtMs` describe the newest block that was complete at this time. `coinPrice` is null
 * until a feed has given a price. `lastKnown` is missing if nothing is known of the newest rows of the tables.
 */
export type StageCut = Readonly<{
  atMs: EpochMs
  blockNumber: BlockNumber
  blockAtMs: EpochMs
  coinPrice: CoinPrice | null
  source: SourceKind
  lastKnown?: LastKnown
}>

/**
 * A time, with the state of each stage that the service knew at that time. `stages` has the name of the stage
 * as its key.
 */
export type Cut = Readonly<{ atMs: EpochMs; stages: Readonly<Record<string, StageCut>> }>

export type Cuts = Readonly<{
  /**
   * Returns the cut at the newest time for which the tables of these stages are complete. Returns null if
   * there is no such time yet.
   */
  newest(stages: readonly Stage[]): Promise<Cut | null>
  /**
   * Returns the cut at a given time, for API requests with `asOf`. Returns null if a stage had no tick until
   * that time, or if the tables are not complete up to that time.
   */
  at(atMs: EpochMs, stages: readonly Stage[]): Promise<Cut | null>
  /**
   * Returns the first time at which each of these stages had a tick. Ticks that were deleted from the tables
   * do not count. Returns null if a stage has no tick.
   */
  oldestAtMs(stages: readonly Stage[]): Promise<number | null>
}>

/** `database` has the reader role. */
export function createCuts({ database }: Readonly<{ database: Database }>): Cuts {
  return {
    async newest(stages) {
      const reached = await Promise.all(stages.map((stage) => reachedBy(database, stage)))
      const known = reached.filter((one) => one !== null)
      if (known.length < stages.length || known.length === 0) return null
      const atMs = Math.min(...known.map(({ knownAtMs }) => knownAtMs))
      const ticked = await Promise.all(stages.map((stage) => stageCutAt(database, atMs, stage)))
      const complete = ticked.map((cut, index) => cut && withLastKnown(cut, known[index]))
      return cutOf(atMs, stages, complete)
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

type Completeness = Readonly<{
  partitionCount: string
  knownAtMs: string
  lastKnown: readonly Readonly<Record<string, string>>[]
}>

type Reached = Readonly<{ knownAtMs: EpochMs; lastKnown: LastKnown }>

/**
 * Returns the last time at which everything that was known is in the tables of the stage, in ms. Returns null
 * if the records of the stage have not been written to tables yet.
 */
async function reachedBy(database: Database, { derivedTopic }: Stage): Promise<Reached | null> {
  const [row] = await nullWithoutTables(
    database.query<Completeness>(`SELECT * FROM ${completeness(derivedTopic.name)}`),
  )
  return row === undefined ? null : reachedOf(row, derivedTopic.partitionCount)
}

const reachedOf = (
  { partitionCount, knownAtMs, lastKnown }: Completeness,
  partitionCountAll: number,
): Reached | null =>
  Number(partitionCount) < partitionCountAll
    ? null
    : { knownAtMs: Number(knownAtMs), lastKnown: lastKnownOf(lastKnown) }

async function firstKnownOf(database: Database, { derivedTopic }: Stage): Promise<number | null> {
  const [row] = await nullWithoutTables(
    database.query<{ knownAtMs: string }>(`SELECT known_at_ms AS knownAtMs FROM ${firstTick(derivedTopic.name)}`),
  )
  return row ? Number(row.knownAtMs) : null
}

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

/**
 * The first query for a tick searches only this far back, because a short search is faster. While the service
 * runs, a tick comes at least every second.
 */
const nearMs = hourMs

/**
 * Returns the state of the stage at the given time. Returns null if not all partitions in the tables have
 * passed that time, or if nothing was known then. One query is enough if a tick came within `nearMs` before
 * that time.
 */
async function completeCutAt(database: Database, atMs: EpochMs, stage: Stage): Promise<StageCut | null> {
  const { name, partitionCount } = stage.derivedTopic
  const [near] = await nullWithoutTables(
    database.query<Selected & Completeness>(
      `SELECT ${selectOf(ticks, 't')}, c.partitionCount AS partitionCount, c.knownAtMs AS knownAtMs, c.lastKnown AS lastKnown
       FROM ${lastTickAt(name, atMs, nearMs)} AS t CROSS JOIN ${completeness(name)} AS c`,
    ),
  )
  const reached = near === undefined ? await reachedBy(database, stage) : reachedOf(near, partitionCount)
  if (reached === null || atMs > reached.knownAtMs) return null
  const cut = near === undefined ? await stageCutAt(database, atMs, stage) : stageCutOf(atMs, near)
  return cut && withLastKnown(cut, reached)
}

/**
 * Returns the state of the stage at the given time according to the tables. The tables need not be complete
 * up to that time. Returns null if the tables have no tick at or before that time.
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

const withLastKnown = (cut: StageCut, reached: Reached | undefined): StageCut => ({
  ...cut,
  ...(reached && { lastKnown: reached.lastKnown }),
})

function stageCutOf(atMs: EpochMs, selected: Selected): StageCut {
  const tick = rowOf(ticks, 't', selected)
  const { blockNumber, blockAtMs, source } = tick
  return { atMs, blockNumber, blockAtMs, coinPrice: coinPriceOf(tick), source }
}

/**
 * The codes of ClickHouse for an unknown column, an unknown table and an unknown database. They mean that the
 * program that creates the tables has not run yet, or not in this version.
 */
const missingCodes = new Set(['47', '60', '81'])

async function nullWithoutTables<Row>(rows: Promise<readonly Row[]>): Promise<readonly Row[]> {
  try {
    return await rows
  } catch (error) {
    if (isOperationError(error, 'database_failed') && missingCodes.has(String(error.context.code))) return []
    throw error
  }
}
