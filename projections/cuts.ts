/** Finds cuts: times for which the tables can be queried, with the state of each stage at that time. */

import type { Database } from '../infra/clickhouse/database.ts'
import { isOperationError } from '../infra/errors.ts'
import type { Stage } from '../schemas/stage.ts'
import { type CoinPrice, coinPriceOf, type SourceKind } from '../schemas/tick.ts'
import { type BlockNumber, type EpochMs, minuteMs } from '../schemas/units.ts'
import { completenessOf, firstTick, lastTickAt, lastTicksAt } from './at-cut.ts'
import { type LastKnown, lastKnownOf } from './recent-writes.ts'
import { rowOf, type Selected } from './select.ts'
import { type TickRow, tickOfText, ticks } from './ticks.ts'

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
      const reached = await reachedBy(database, stages)
      return reached && cutAt(database, Math.min(...knownTimesOf(reached)), { stages, reached })
    },
    async at(atMs, stages) {
      const reached = await reachedBy(database, stages)
      if (reached === null || knownTimesOf(reached).some((knownAtMs) => knownAtMs < atMs)) return null
      return cutAt(database, atMs, { stages, reached })
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
  topic: string
  knownAtMs: string
  lastKnown: Readonly<Record<string, string>>
  lastTick: string
}>

/**
 * `knownAtMs` is the last time at which everything that was known is in the tables of the stage, in ms. `tick` is the
 * tick of this time. It is null if an earlier version wrote the watermark, or if old ticks have equal times.
 */
type Reached = Readonly<{ knownAtMs: EpochMs; lastKnown: LastKnown; tick: TickRow | null }>

type ByStage<Value> = ReadonlyMap<string, Value>

/**
 * Returns how far the tables of each of these stages are complete, by the name of the stage. Returns null if there are
 * no stages, or if the records of one of them have not been written to tables yet.
 */
async function reachedBy(database: Database, stages: readonly Stage[]): Promise<ByStage<Reached> | null> {
  if (stages.length === 0) return null
  const rows = await noneWithoutTables(database.query<Completeness>(completenessOf(stages.map(topicOf))))
  const reached = new Map<string, Reached>()
  for (const stage of stages) {
    const partitions = rows.filter(({ topic }) => topic === topicOf(stage))
    if (partitions.length < stage.derivedTopic.partitionCount) return null
    const knownAtMs = Math.min(...partitions.map((partition) => Number(partition.knownAtMs)))
    const slowest = partitions.filter((partition) => Number(partition.knownAtMs) === knownAtMs)
    const [text = '', ...others] = new Set(slowest.map(({ lastTick }) => lastTick))
    const lastKnown = lastKnownOf(partitions.map((partition) => partition.lastKnown))
    reached.set(stage.name, { knownAtMs, lastKnown, tick: others.length === 0 ? tickOfText(text) : null })
  }
  return reached
}

const knownTimesOf = (reached: ByStage<Reached>): readonly EpochMs[] =>
  [...reached.values()].map(({ knownAtMs }) => knownAtMs)

const topicOf = ({ derivedTopic }: Pick<Stage, 'derivedTopic'>): string => derivedTopic.name

async function firstKnownOf(database: Database, { derivedTopic }: Stage): Promise<number | null> {
  const [row] = await noneWithoutTables(
    database.query<{ knownAtMs: string }>(`SELECT known_at_ms AS knownAtMs FROM ${firstTick(derivedTopic.name)}`),
  )
  return row ? Number(row.knownAtMs) : null
}

type Complete = Readonly<{ stages: readonly Stage[]; reached: ByStage<Reached> }>

/**
 * Returns null if a stage had no tick. The ticks are read after it was known how far the tables are complete. Otherwise
 * the newest tick could be written between the two reads, and the cut would have the tick before it. A stage that
 * reached just this time needs no query.
 */
async function cutAt(database: Database, atMs: EpochMs, { stages, reached }: Complete): Promise<Cut | null> {
  const others = stages.filter(({ name }) => tickAt(atMs, reached.get(name)) === null)
  const selected = others.length === 0 ? new Map<string, StageCut>() : await stageCutsAt(database, atMs, others)
  const found: Record<string, StageCut> = {}
  for (const [name, its] of reached) {
    const tick = tickAt(atMs, its)
    const cut = tick === null ? selected.get(name) : stageCutOf(atMs, tick)
    if (!cut) return null
    found[name] = { ...cut, lastKnown: its.lastKnown }
  }
  return { atMs, stages: found }
}

const tickAt = (atMs: EpochMs, reached: Reached | undefined): TickRow | null =>
  reached?.knownAtMs === atMs ? reached.tick : null

/**
 * The first query for ticks searches only this far back, because a short search is faster. While the service runs, a
 * tick comes at least every second.
 */
const nearMs = minuteMs

/**
 * Returns the state of each stage at the given time according to the tables, by the name of the stage. The tables need
 * not be complete up to that time. A stage without a tick at or before that time is left out.
 */
export async function stageCutsAt(
  database: Pick<Database, 'query'>,
  atMs: EpochMs,
  stages: readonly Stage[],
): Promise<ByStage<StageCut>> {
  const near = await database.query<TickOfTopic>(lastTicksAt(stages.map(topicOf), atMs, nearMs))
  const found = await Promise.all(
    stages.map(async (stage) => {
      const topic = topicOf(stage)
      const tick =
        near.find((row) => row.topic === topic) ?? (await database.query<TickOfTopic>(lastTickAt(topic, atMs)))[0]
      return tick === undefined ? [] : [[stage.name, stageCutOf(atMs, rowOf(ticks, null, tick))] as const]
    }),
  )
  return new Map(found.flat())
}

type TickOfTopic = Selected & Readonly<{ topic: string }>

function stageCutOf(atMs: EpochMs, tick: TickRow): StageCut {
  const { blockNumber, blockAtMs, source } = tick
  return { atMs, blockNumber, blockAtMs, coinPrice: coinPriceOf(tick), source }
}

/**
 * The codes of ClickHouse for an unknown column, an unknown table and an unknown database. They mean that the
 * program that creates the tables has not run yet, or not in this version.
 */
const missingCodes = new Set(['47', '60', '81'])

async function noneWithoutTables<Row>(rows: Promise<readonly Row[]>): Promise<readonly Row[]> {
  try {
    return await rows
  } catch (error) {
    if (isOperationError(error, 'database_failed') && missingCodes.has(String(error.context.code))) return []
    throw error
  }
}
