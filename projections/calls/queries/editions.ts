/**
 * Finds the edition of the hourly answers about calls that is valid at a cut. An edition is the set of
 * answers that cover all events up to a whole hour. These answers combine several stages, so the program that
 * writes the tables of one stage cannot write them. Queries compute the edition from the ticks of the stages.
 */

import type { Database } from '../../../infra/clickhouse/database.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { chatsStage } from '../../../schemas/chats/stage.ts'
import type { Stage } from '../../../schemas/stage.ts'
import { type DurationMs, type EpochMs, hourMs, minuteMs } from '../../../schemas/units.ts'
import { lastMetIn, passedAt, reachAt } from '../../at-cut.ts'
import { type Cut, type StageCut, stageCutsAt } from '../../cuts.ts'
import { newestInstant, type Reach } from '../../edition-instants.ts'
import { keepNewest } from '../../keep-newest.ts'
import { selectOne } from '../../select-one.ts'
import { callTablesOf } from '../tables.ts'

export type CallsEdition = Readonly<{
  /** The edition covers all events up to this time. */
  coveredUntilMs: EpochMs
  /**
   * The `coveredUntilMs` of the edition that was valid half an hour before this edition. Null: there was
   * none.
   */
  previousAtMs: EpochMs | null
  /**
   * The cut from which the edition is computed: a time, and what the service knew then. Every stage in it has
   * `coveredUntilMs` as its `blockAtMs`. A stage may have an earlier `atMs` than the others.
   */
  cut: Cut
}>

/**
 * The wait before an edition is published, in ms. It begins when the last stage has passed the time that the
 * edition covers. During the wait, ingest still reads posts from before this time, and lookups still return
 * prices. Ingest delays a post by at most 10 s, until its tokens are identified. A price arrives within
 * seconds.
 */
const settleMs = 30_000
/**
 * The previous edition is the edition that was valid this many ms earlier. Live editions come every hour, but
 * editions come faster while the service catches up. A client that buys every hour then does not get all
 * editions.
 */
const seenMs = hourMs / 2

/**
 * Finds the edition of the hourly answers that is valid at a cut. Null: there is none yet. The edition covers
 * events up to the newest whole hour that every stage has passed. Before the first such hour, it covers
 * events up to the newest whole minute.
 *
 * The edition becomes known at the first whole minute that is at least 30 s after the stages passed this
 * time. If a value that was due by then becomes known later, the edition becomes known at the next whole
 * minute after the value. So all cuts within a minute have the same edition.
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
  const coveredUntilMs = await selectInstant(database, inputs, minuteAtMs - settleMs)
  if (coveredUntilMs === null) return null
  const passed = await Promise.all(inputs.map((stage) => selectPassed(database, stage, coveredUntilMs)))
  const previousAtMs = await selectInstant(database, inputs, Math.max(...passed) - seenMs)
  const chatsPassedAtMs = passed[inputs.indexOf(chatsStage)] ?? 0
  const stages: Record<string, StageCut> = {}
  for (const [index, stage] of inputs.entries()) {
    // The rows of a chain need its trades and the posts. So while another chain is behind, they get no newer trades.
    const firstAtMs = wholeMinuteFrom(Math.max(Number(passed[index]), chatsPassedAtMs) + settleMs)
    const late = { coveredUntilMs, previousAtMs, afterMs: firstAtMs, toMs: minuteAtMs }
    const atMs = Math.max(firstAtMs, wholeMinuteFrom(await selectLate(database, stage, late)))
    const cut = (await stageCutsAt(database, atMs, [stage])).get(stage.name)
    if (cut === undefined) return null
    stages[stage.name] = { ...cut, blockAtMs: coveredUntilMs }
  }
  return {
    coveredUntilMs,
    previousAtMs,
    cut: { atMs: Math.max(...Object.values(stages).map((cut) => cut.atMs)), stages },
  }
}

/**
 * Returns the time from which an answer looks back `durationMs` for calls. This is normally the time that the
 * edition covers. If `durationMs` is the whole observation of a call (48 h), the result is earlier. The
 * answer then also lists the calls whose observation ended since the previous edition, because that edition
 * could not list them as ended.
 */
export function lookBackFrom(
  { coveredUntilMs, previousAtMs }: Pick<CallsEdition, 'coveredUntilMs' | 'previousAtMs'>,
  durationMs: DurationMs,
): number {
  const { watchMs } = callRules
  if (durationMs < watchMs) return coveredUntilMs
  return Math.max(Math.min(previousAtMs ?? coveredUntilMs, coveredUntilMs - hourMs), coveredUntilMs - watchMs)
}

const wholeMinuteFrom = (atMs: EpochMs): EpochMs => Math.ceil(atMs / minuteMs) * minuteMs

/**
 * Returns the newest time up to which an edition could cover events at `atMs`. All stages must have passed
 * this time by then. Returns null if there was none.
 */
async function selectInstant(database: Database, inputs: readonly Stage[], atMs: EpochMs): Promise<number | null> {
  const reaches = await Promise.all(inputs.map((stage) => selectReach(database, stage, atMs)))
  const known = reaches.filter((reach) => reach !== null)
  return known.length < inputs.length ? null : newestInstant(known)
}

/**
 * The first query reads only ticks of this duration before the given time, which is faster than reading all
 * ticks. While the service runs, a tick comes at least every second.
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
  // The block time of a chain can be ahead of our clock, but never by an hour. So the first tick after `atMs`
  // became known after `sinceMs`.
  const row = await selectOne<{ knownAtMs: string }>(
    database,
    `SELECT * FROM ${passedAt(derivedTopic.name, { atMs, sinceMs: atMs - hourMs })}`,
  )
  return Number(row.knownAtMs)
}

const returns = { ret_1h: 1, ret_4h: 4, ret_12h: 12, ret_24h: 24, ret_48h: 48 } as const

type Late = Readonly<{ coveredUntilMs: EpochMs; previousAtMs: EpochMs | null; afterMs: EpochMs; toMs: EpochMs }>

/**
 * Finds the calls, returns and scores of a chain that were due between the previous edition and this edition, but
 * became known only after this edition. Returns the newest time at which one of these values became known, or 0 if
 * there are none.
 */
async function selectLate(
  database: Database,
  stage: Stage,
  { coveredUntilMs, previousAtMs, ...known }: Late,
): Promise<number> {
  if (stage === chatsStage || known.toMs <= known.afterMs) return 0
  const { scoreMs, anchorLimitMs, watchMs } = callRules
  // Values due in the hour before the previous edition may have become known late, so that hour is searched too.
  const spanMs = previousAtMs === null ? watchMs : Math.min(coveredUntilMs - previousAtMs + hourMs, watchMs)
  const dueBefore = (durationMs: number) => ({
    from: coveredUntilMs - durationMs - spanMs + 1,
    to: coveredUntilMs - durationMs,
  })
  const { Call, CallScored } = callTablesOf(stage.name)
  const sources = [
    ...Object.entries(returns).map(([column, hours]) =>
      lastMetIn(Call, known, {
        conditions: { called_at_ms: dueBefore(hours * hourMs) },
        criteria: [`${column} IS NOT NULL`, hours === 48 ? 'is_done = 1' : 'called_at_ms > 0'],
      }),
    ),
    lastMetIn(CallScored, known, {
      conditions: { posted_at_ms: dueBefore(scoreMs + anchorLimitMs) },
      criteria: ['posted_at_ms > 0'],
    }),
  ]
  const row = await selectOne<{ lateAtMs: string }>(
    database,
    `SELECT max(knownAtMs) AS lateAtMs FROM (${sources.map((source) => `SELECT * FROM ${source}`).join(' UNION ALL ')})`,
  )
  return Number(row.lateAtMs)
}
