/** At which instants of knowledge the tables can be asked, and what each stage was at such an instant. */

import type { Database } from '../infra/clickhouse/database.ts'
import { isOperationError } from '../infra/errors.ts'
import type { Stage } from '../schemas/stage.ts'
import { type CoinPrice, coinPriceOf, type SourceKind } from '../schemas/tick.ts'
import { hourMs } from '../schemas/units.ts'
import { completeness, firstTick, lastTickAt } from './at-cut.ts'
import { rowOf, type Selected, selectOf } from './select.ts'
import { ticks } from './ticks.ts'

/**
 * One stage at an instant of knowledge that all its partitions have passed: what the log knew by `atMs`, no more and no
 * less. `blockAtMs`: time of the newest block complete at that instant. `coinPrice` is null until a feed has spoken.
 */
export type StageCut = Readonly<{
  atMs: number
  blockNumber: number
  blockAtMs: number
  coinPrice: CoinPrice | null
  source: SourceKind
}>

/** An instant of knowledge and each stage there, by the stage's name. */
export type Cut = Readonly<{ atMs: number; stages: Readonly<Record<string, StageCut>> }>

export type Cuts = Readonly<{
  /** The newest instant on the grid that all partitions of these stages have passed; null while one has not been projected at all. */
  newest(stages: readonly Stage[]): Promise<Cut | null>
  /** The cut of an earlier instant, for asking as of then; null when nothing was known then, or not all of it is projected yet. */
  at(atMs: number, stages: readonly Stage[]): Promise<Cut | null>
  /** The first instant at which something was known of all these stages, as far back as is kept; null: nothing is of one. */
  oldestAtMs(stages: readonly Stage[]): Promise<number | null>
}>

/** `database`: a reader. `gridMs`: how far apart the newest cuts are. */
export function createCuts({ database, gridMs }: Readonly<{ database: Database; gridMs: number }>): Cuts {
  return {
    async newest(stages) {
      const completeAtMs = await completeUntil(database, stages)
      return completeAtMs === null ? null : cutAt(database, Math.floor(completeAtMs / gridMs) * gridMs, stages)
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

/** The last whole instant that no later tick of any of the stages can carry. Null: one is not projected yet. */
async function completeUntil(database: Database, stages: readonly Stage[]): Promise<number | null> {
  const instants = await Promise.all(stages.map((stage) => stageCompleteUntil(database, stage)))
  const known = instants.filter((instant) => instant !== null)
  return known.length === stages.length && known.length > 0 ? Math.min(...known) : null
}

async function stageCompleteUntil(database: Database, { derivedTopic }: Stage): Promise<number | null> {
  const [row] = await nullWithoutTables(
    database.query<{ partitionCount: string; knownAtMs: string }>(`SELECT * FROM ${completeness(derivedTopic.name)}`),
  )
  return !row || Number(row.partitionCount) < derivedTopic.partitionCount ? null : Number(row.knownAtMs) - 1
}

async function firstKnownOf(database: Database, { derivedTopic }: Stage): Promise<number | null> {
  const [row] = await nullWithoutTables(
    database.query<{ knownAtMs: string }>(`SELECT known_at_ms AS knownAtMs FROM ${firstTick(derivedTopic.name)}`),
  )
  return row ? Number(row.knownAtMs) : null
}

const cutAt = async (database: Database, atMs: number, stages: readonly Stage[]): Promise<Cut | null> =>
  cutOf(atMs, stages, await Promise.all(stages.map((stage) => stageCutAt(database, atMs, stage))))

function cutOf(atMs: number, stages: readonly Stage[], cuts: readonly (StageCut | null)[]): Cut | null {
  if (stages.length === 0) return null
  const found: Record<string, StageCut> = {}
  for (const [index, { name }] of stages.entries()) {
    const cut = cuts[index]
    if (!cut) return null
    found[name] = cut
  }
  return { atMs, stages: found }
}

/** Ticks come at least once a second while the service runs. */
const nearMs = hourMs

/** Null: not all partitions have passed the instant, or nothing was known then. One question, where a tick is near. */
async function completeCutAt(database: Database, atMs: number, stage: Stage): Promise<StageCut | null> {
  const { name, partitionCount } = stage.derivedTopic
  const [near] = await nullWithoutTables(
    database.query<Selected & Readonly<{ partitionCount: string; completeAtMs: string }>>(
      `SELECT ${selectOf(ticks, 't')}, c.partitionCount AS partitionCount, c.knownAtMs AS completeAtMs
       FROM ${lastTickAt(name, atMs, nearMs)} AS t CROSS JOIN ${completeness(name)} AS c`,
    ),
  )
  if (near !== undefined)
    return Number(near.partitionCount) < partitionCount || atMs >= Number(near.completeAtMs)
      ? null
      : stageCutOf(atMs, near)
  const completeAtMs = await stageCompleteUntil(database, stage)
  return completeAtMs === null || atMs > completeAtMs ? null : stageCutAt(database, atMs, stage)
}

/** What the tables say the stage was at the instant, whether or not all of it is there. Null: nothing was known then. */
export async function stageCutAt(
  database: Pick<Database, 'query'>,
  atMs: number,
  { derivedTopic }: Stage,
): Promise<StageCut | null> {
  const select = (source: string) => database.query<Selected>(`SELECT ${selectOf(ticks, 't')} FROM ${source} AS t`)
  const [near] = await select(lastTickAt(derivedTopic.name, atMs, nearMs))
  const selected = near ?? (await select(lastTickAt(derivedTopic.name, atMs)))[0]
  return selected === undefined ? null : stageCutOf(atMs, selected)
}

function stageCutOf(atMs: number, selected: Selected): StageCut {
  const tick = rowOf(ticks, 't', selected)
  const { blockNumber, blockAtMs, source } = tick
  return { atMs, blockNumber, blockAtMs, coinPrice: coinPriceOf(tick), source }
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
