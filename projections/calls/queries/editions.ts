/**
 * Of which hour the answers about calls tell that are rebuilt hourly, and what they know. They are of several stages, so no sink
 * can write them: at every cut the ticks say what was complete by then.
 */

import type { Database } from '../../../infra/clickhouse/database.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { chatsStage } from '../../../schemas/chats/stage.ts'
import type { Stage } from '../../../schemas/stage.ts'
import { type DurationMs, type EpochMs, hourMs, minuteMs } from '../../../schemas/units.ts'
import { lastToldIn, passedAt, reachAt } from '../../at-cut.ts'
import { type Cut, type StageCut, stageCutAt } from '../../cuts.ts'
import { newestInstant, type Reach } from '../../edition-instants.ts'
import { keepNewest } from '../../keep-newest.ts'
import { callTablesOf } from '../tables.ts'

export type CallsEdition = Readonly<{
  /** Everything up to here is known. */
  toldAtMs: EpochMs
  /** Up to when the edition told everything that was in force half an hour earlier; null: there was none. */
  previousAtMs: EpochMs | null
  /** What is told: what was known at `atMs` of everything up to `toldAtMs`, the newest block of every stage. */
  cut: Cut
}>

/**
 * When the last stage has passed an instant, the posts before it may still be read and prices for it be asked. Posts wait 10 s
 * at most for what they name, and a price is told within seconds.
 */
const settleMs = 30_000
/** A live edition comes each hour, after a catch-up they come fast: who buys every hour saw one of half an hour ago. */
const seenMs = hourMs / 2

/**
 * The edition in force at a cut: of the newest whole hour that every stage of the cut has passed (the newest whole minute, until
 * there is such an hour), as of the whole minute after that, and again as of each minute in which something became known that was
 * due by then. So it is the same at every cut within a minute. Null: there is none yet.
 */
export function createCallsEditions(
  database: Database,
  stages: readonly Stage[],
): (cut: Cut) => Promise<CallsEdition | null> {
  const kept = keepNewest<CallsEdition | null>(16)
  return (cut) => {
    const inputs = stages.filter(({ name }) => cut.stages[name] !== undefined)
    const minuteAtMs = Math.floor(cut.atMs / minuteMs) * minuteMs
    return kept(`${inputs.map(({ name }) => name).join()} ${minuteAtMs}`, () =>
      selectEdition(database, inputs, minuteAtMs),
    )
  }
}

async function selectEdition(
  database: Database,
  inputs: readonly Stage[],
  minuteAtMs: EpochMs,
): Promise<CallsEdition | null> {
  const toldAtMs = await selectInstant(database, inputs, minuteAtMs - settleMs)
  if (toldAtMs === null) return null
  const passed = await Promise.all(inputs.map((stage) => selectPassed(database, stage, toldAtMs)))
  const passedAtMs = Math.max(...passed)
  const firstAtMs = wholeMinuteFrom(passedAtMs + settleMs)
  const previousAtMs = await selectInstant(database, inputs, passedAtMs - seenMs)
  const late = { toldAtMs, previousAtMs, afterMs: firstAtMs, toMs: minuteAtMs }
  const lateAtMs = await selectLate(database, inputs, late)
  const atMs = Math.max(firstAtMs, wholeMinuteFrom(lateAtMs))
  const told: Record<string, StageCut> = {}
  for (const stage of inputs) {
    const found = await stageCutAt(database, atMs, stage)
    if (found === null) return null
    told[stage.name] = { ...found, blockAtMs: toldAtMs }
  }
  return { toldAtMs, previousAtMs, cut: { atMs, stages: told } }
}

/**
 * From when on calls are listed: so long before this. Over the whole watch those are listed too that ended since the edition
 * before: nobody could have seen the end of them.
 */
export function lookBackFrom(
  { toldAtMs, previousAtMs }: Pick<CallsEdition, 'toldAtMs' | 'previousAtMs'>,
  durationMs: DurationMs,
): number {
  const { watchMs } = callRules
  if (durationMs < watchMs) return toldAtMs
  return Math.max(Math.min(previousAtMs ?? toldAtMs, toldAtMs - hourMs), toldAtMs - watchMs)
}

const wholeMinuteFrom = (atMs: EpochMs): EpochMs => Math.ceil(atMs / minuteMs) * minuteMs

/** What every stage had passed at an instant of knowledge. Null: one was not known yet, or had passed nothing. */
async function selectInstant(database: Database, inputs: readonly Stage[], atMs: EpochMs): Promise<number | null> {
  const reaches = await Promise.all(inputs.map((stage) => selectReach(database, stage, atMs)))
  const known = reaches.filter((reach) => reach !== null)
  return known.length < inputs.length ? null : newestInstant(known)
}

/** Ticks come at least once a second while the service runs. */
const nearMs = hourMs

async function selectReach(database: Database, { derivedTopic }: Stage, atMs: EpochMs): Promise<Reach | null> {
  const select = async (withinMs?: DurationMs) => {
    const [row] = await database.query<{ firstBlockAtMs: string; newestBlockAtMs: string; tickCount: string }>(
      `SELECT * FROM ${reachAt(derivedTopic.name, atMs, withinMs)}`,
    )
    return row && Number(row.tickCount) > 0 ? row : null
  }
  const row = (await select(nearMs)) ?? (await select())
  return row && { firstBlockAtMs: Number(row.firstBlockAtMs), newestBlockAtMs: Number(row.newestBlockAtMs) }
}

async function selectPassed(database: Database, { derivedTopic }: Stage, atMs: EpochMs): Promise<EpochMs> {
  // A chain's clock may run ahead of ours, though never so far.
  const [row] = await database.query<{ knownAtMs: string }>(
    `SELECT * FROM ${passedAt(derivedTopic.name, { atMs, sinceMs: atMs - hourMs })}`,
  )
  return Number(row?.knownAtMs ?? 0)
}

const returns = { ret_1h: 1, ret_4h: 4, ret_12h: 12, ret_24h: 24, ret_48h: 48 } as const

type Late = Readonly<{ toldAtMs: EpochMs; previousAtMs: EpochMs | null; afterMs: EpochMs; toMs: EpochMs }>

/**
 * When the last call, return or score of what became due since the edition before was known, if that was after the edition was made
 * first; else 0.
 */
async function selectLate(
  database: Database,
  inputs: readonly Stage[],
  { toldAtMs, previousAtMs, ...known }: Late,
): Promise<number> {
  if (known.toMs <= known.afterMs) return 0
  const { scoreMs, anchorLimitMs, watchMs } = callRules
  // What was due in the hour before may have been late then already.
  const spanMs = previousAtMs === null ? watchMs : Math.min(toldAtMs - previousAtMs + hourMs, watchMs)
  const dueBefore = (durationMs: number) => ({ from: toldAtMs - durationMs - spanMs + 1, to: toldAtMs - durationMs })
  const sources = inputs
    .filter((stage) => stage !== chatsStage)
    .map(({ name }) => callTablesOf(name))
    .flatMap(({ Call, CallScored }) => [
      ...Object.entries(returns).map(([column, hours]) =>
        lastToldIn(Call, known, {
          conditions: { called_at_ms: dueBefore(hours * hourMs) },
          told: [`${column} IS NOT NULL`, hours === 48 ? 'is_done = 1' : 'called_at_ms > 0'],
        }),
      ),
      lastToldIn(CallScored, known, {
        conditions: { posted_at_ms: dueBefore(scoreMs + anchorLimitMs) },
        told: ['posted_at_ms > 0'],
      }),
    ])
  const [row] = await database.query<{ lateAtMs: string }>(
    `SELECT max(knownAtMs) AS lateAtMs FROM (${sources.map((source) => `SELECT * FROM ${source}`).join(' UNION ALL ')})`,
  )
  return Number(row?.lateAtMs ?? 0)
}
