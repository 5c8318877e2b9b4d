/** The coverage of a source for each hour: its ticks and blocks, and the spans in which it was silent, late or without a price. */

import type { Database } from '../infra/clickhouse/database.ts'
import { type DurationMs, dayMs, type EpochMs, hourMs, minuteMs } from '../schemas/units.ts'
import { firstTick, tickChanges, tickHours } from './at-cut.ts'
import type { StageCut } from './cuts.ts'
import type { StateCounts } from './trade-gaps/trade-gaps.ts'

/** A half-open span of time: `[fromMs, toMs)`. */
export type Span = Readonly<{ fromMs: EpochMs; toMs: EpochMs }>

/**
 * `silent`: spans of knowledge time without a tick of the source. `late`: spans of event time whose blocks became known too late.
 * `unpriced`: spans of event time in which the coin had no price, or only an old price.
 */
export type CoveredHour = Readonly<{
  hourAtMs: EpochMs
  ticks: number
  /** The numbers of the first and the last known block. Null: no block of the hour is known. */
  blocks: Readonly<{ first: number; last: number }> | null
  silent: readonly Span[]
  late: readonly Span[]
  unpriced: readonly Span[]
}>

/** A rules version, and the event time from which it is in force. */
type RulesInForce = Readonly<{ version: string; sinceMs: EpochMs }>

export type Coverage = Readonly<{
  /** The knowledge time of the oldest tick in the tables. Null: there is no tick yet. */
  knownSinceMs: EpochMs | null
  hours: readonly CoveredHour[]
  rules: readonly RulesInForce[]
}>

/** The coverage begins this duration before the cut. */
export const coverageBackMs = 7 * dayMs

/**
 * A source is silent after a minute without a tick. A block is late if it became known more than two minutes after its time. A coin price
 * is old after ten minutes. Normally a tick comes every second, and a price every minute.
 */
const limits = { silentMs: 60_000, lateMs: 120_000, priceAgeMs: 10 * minuteMs } as const

/** The coverage from the ticks, with counts and gaps from the tables of the source. */
export type Covered = Coverage &
  Readonly<{
    watched: Watched
    /** The number of gaps in trades by state, for each start of an hour. Null: the source has no trades. */
    tradeGaps: ReadonlyMap<number, StateCounts> | null
    /** Spans in which posts were missed or read late, with the number of chats. Null: the source has no chats. */
    chatGaps: readonly ChatGapSpan[] | null
  }>

export type ChatGapSpan = Span & Readonly<{ reason: string; chats: number }>

type StateChange = Readonly<{
  blockAtMs: EpochMs
  /** The block time of the previous tick. 0: there is none. */
  formerAtMs: EpochMs
  knownAtMs: EpochMs
  formerKnownAtMs: EpochMs
  isLate: boolean
  isUnpriced: boolean
  rulesVersion: string
}>

/**
 * The coverage of the hours before the cut, as known at the cut. The last hour ends at the cut’s newest block. `database` has the reader
 * role.
 */
export async function coverageAt(database: Pick<Database, 'query'>, cut: StageCut, topic: string): Promise<Coverage> {
  const [first] = await database.query<{ blockAtMs: string; knownAtMs: string }>(
    `SELECT block_at_ms AS blockAtMs, known_at_ms AS knownAtMs FROM ${firstTick(topic)}`,
  )
  if (!first) return { knownSinceMs: null, hours: [], rules: [] }
  const toMs = cut.blockAtMs + 1
  const fromMs = Math.max(Math.floor((toMs - coverageBackMs) / hourMs) * hourMs, Number(first.blockAtMs))
  const range = { fromMs, toMs, atMs: cut.atMs }
  const changes = await selectChanges(database, tickChanges(topic, range, limits))
  const counted = await selectHours(database, tickHours(topic, range))
  const spans = spansOf(changes, { fromMs, toMs, silentMs: limits.silentMs })
  const hours: CoveredHour[] = []
  for (let hourAtMs = Math.floor(fromMs / hourMs) * hourMs; hourAtMs < toMs; hourAtMs += hourMs) {
    const known = counted.get(hourAtMs)
    const hour = { fromMs: Math.max(fromMs, hourAtMs), toMs: Math.min(toMs, hourAtMs + hourMs) }
    hours.push({
      hourAtMs,
      ticks: known?.ticks ?? 0,
      blocks: known?.blocks ?? null,
      silent: within(spans.silent, hour),
      late: within(spans.late, hour),
      unpriced: within(spans.unpriced, hour),
    })
  }
  return { knownSinceMs: Number(first.knownAtMs), hours, rules: spans.rules }
}

/** The numbers of rows by name, such as `bursts`, for each start of an hour. */
export type Watched = ReadonlyMap<number, Readonly<Record<string, number>>>

type Counting = Readonly<{ name: string; source: string; column: string }>

/** Counts the rows of each source by the hour of `column`. `source` is a subquery in brackets. */
export async function watchedOf(database: Pick<Database, 'query'>, countings: readonly Counting[]): Promise<Watched> {
  const watched = new Map<number, Record<string, number>>()
  for (const { name, source, column } of countings) {
    const rows = await database.query<{ hourAtMs: string; rowCount: string }>(
      `SELECT intDiv(${column}, ${hourMs}) * ${hourMs} AS hourAtMs, count() AS rowCount FROM ${source} GROUP BY hourAtMs`,
    )
    for (const { hourAtMs, rowCount } of rows) {
      const hour = watched.get(Number(hourAtMs)) ?? {}
      hour[name] = Number(rowCount)
      watched.set(Number(hourAtMs), hour)
    }
  }
  return watched
}

async function selectChanges(database: Pick<Database, 'query'>, source: string): Promise<readonly StateChange[]> {
  const rows = await database.query<Readonly<Record<keyof StateChange, string | number>>>(`SELECT * FROM ${source}`)
  return rows.map((row) => ({
    blockAtMs: Number(row.blockAtMs),
    formerAtMs: Number(row.formerAtMs),
    knownAtMs: Number(row.knownAtMs),
    formerKnownAtMs: Number(row.formerKnownAtMs),
    isLate: Number(row.isLate) === 1,
    isUnpriced: Number(row.isUnpriced) === 1,
    rulesVersion: String(row.rulesVersion),
  }))
}

type Counted = Readonly<{ ticks: number; blocks: CoveredHour['blocks'] }>

async function selectHours(database: Pick<Database, 'query'>, source: string): Promise<ReadonlyMap<number, Counted>> {
  const rows = await database.query<
    Readonly<Record<'hourAtMs' | 'tickCount' | 'firstBlock' | 'lastBlock', string | number>>
  >(`SELECT * FROM ${source}`)
  return new Map(
    rows.map(({ hourAtMs, tickCount, firstBlock, lastBlock }) => [
      Number(hourAtMs),
      { ticks: Number(tickCount), blocks: { first: Number(firstBlock), last: Number(lastBlock) } },
    ]),
  )
}

type Spans = Readonly<Record<'silent' | 'late' | 'unpriced', readonly Span[]> & { rules: readonly RulesInForce[] }>

/**
 * Converts changes of state into spans. A tick reports all blocks since the previous tick. A late or unpriced span therefore begins at the
 * block time of the tick before its first tick. It ends at the block time of its last tick.
 */
export function spansOf(
  changes: readonly StateChange[],
  { fromMs, toMs, silentMs }: Span & Readonly<{ silentMs: DurationMs }>,
): Spans {
  const silent: Span[] = []
  const rules: RulesInForce[] = []
  for (const { blockAtMs, knownAtMs, formerKnownAtMs, rulesVersion } of changes) {
    if (formerKnownAtMs > 0 && knownAtMs - formerKnownAtMs > silentMs)
      silent.push({ fromMs: formerKnownAtMs, toMs: knownAtMs })
    if (rules.at(-1)?.version !== rulesVersion) rules.push({ version: rulesVersion, sinceMs: blockAtMs })
  }
  const spansWhere = (holds: (change: StateChange) => boolean): readonly Span[] => {
    const spans: Span[] = []
    let sinceMs: EpochMs | null = null
    for (const change of changes) {
      if (holds(change)) sinceMs ??= change.formerAtMs === 0 ? Math.max(fromMs, change.blockAtMs) : change.formerAtMs
      else if (sinceMs !== null) {
        spans.push({ fromMs: sinceMs, toMs: change.formerAtMs })
        sinceMs = null
      }
    }
    return sinceMs === null ? spans : [...spans, { fromMs: sinceMs, toMs }]
  }
  return {
    silent,
    rules,
    late: spansWhere(({ isLate }) => isLate),
    unpriced: spansWhere(({ isUnpriced }) => isUnpriced),
  }
}

const within = (spans: readonly Span[], hour: Span): readonly Span[] =>
  spans
    .map(({ fromMs, toMs }) => ({ fromMs: Math.max(fromMs, hour.fromMs), toMs: Math.min(toMs, hour.toMs) }))
    .filter(({ fromMs, toMs }) => fromMs < toMs)
