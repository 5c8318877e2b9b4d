/**
 * Finds which edition of the hourly answers about calls is in force at a cut. These answers are made from several stages, so the sink
 * of one stage cannot write them. Instead, queries compute the edition at every cut from the ticks of the stages.
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
  /** The edition covers everything up to this instant of event time. */
  toldAtMs: EpochMs
  /** The `toldAtMs` of the edition that was in force half an hour before this edition. Null: there was none. */
  previousAtMs: EpochMs | null
  /** The cut from which the edition is computed. The `blockAtMs` of every stage in it is `toldAtMs`. */
  cut: Cut
}>

/**
 * The wait between the time at which the last stage passes an instant and the edition of this instant. Meanwhile, posts from before the
 * instant are still read and prices at the instant are still looked up. Ingest holds a post for at most 10 s, until it knows the tokens
 * that the post names. A price arrives within seconds.
 */
const settleMs = 30_000
/**
 * The previous edition is the edition that was in force this duration earlier. Live editions come every hour. While the service catches up,
 * editions come faster, and a client that buys every hour does not see all of them.
 */
const seenMs = hourMs / 2

/**
 * Finds the edition in force at a cut. Null: there is none yet. The edition covers events up to the newest whole hour that every stage of
 * the cut has passed. Before the first such hour, it covers events up to the newest whole minute.
 *
 * The edition becomes known at the first whole minute that is at least 30 s after the stages passed this instant. If a value that was due
 * by the instant becomes known later, the edition becomes known at the next whole minute after the value. So all cuts within a minute have
 * the same edition.
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
 * Returns the instant from which an answer looks back `durationMs` for calls. Normally this is the instant of the edition. If `durationMs`
 * is a whole watch, an earlier instant is returned, so that the answer also lists the calls whose watch ended since the previous edition.
 * No earlier edition could contain the end of these watches.
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

/** The newest instant for an edition that every stage had passed at the knowledge time `atMs`. Null: there was none. */
async function selectInstant(database: Database, inputs: readonly Stage[], atMs: EpochMs): Promise<number | null> {
  const reaches = await Promise.all(inputs.map((stage) => selectReach(database, stage, atMs)))
  const known = reaches.filter((reach) => reach !== null)
  return known.length < inputs.length ? null : newestInstant(known)
}

/**
 * The first query searches only ticks within this duration, which is faster. While the service runs, a tick comes at least every second.
 */
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
  // The block time of a chain can be ahead of our clock, but never by an hour. So only ticks known after `sinceMs` can have passed `atMs`.
  const [row] = await database.query<{ knownAtMs: string }>(
    `SELECT * FROM ${passedAt(derivedTopic.name, { atMs, sinceMs: atMs - hourMs })}`,
  )
  return Number(row?.knownAtMs ?? 0)
}

const returns = { ret_1h: 1, ret_4h: 4, ret_12h: 12, ret_24h: 24, ret_48h: 48 } as const

type Late = Readonly<{ toldAtMs: EpochMs; previousAtMs: EpochMs | null; afterMs: EpochMs; toMs: EpochMs }>

/**
 * Returns the newest knowledge time of the calls, returns and scores that were due since the previous edition and became known after this
 * edition was first made. 0: there is none.
 */
async function selectLate(
  database: Database,
  inputs: readonly Stage[],
  { toldAtMs, previousAtMs, ...known }: Late,
): Promise<number> {
  if (known.toMs <= known.afterMs) return 0
  const { scoreMs, anchorLimitMs, watchMs } = callRules
  // Values that were due in the hour before the previous edition may have become known late. Therefore that hour is searched too.
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
