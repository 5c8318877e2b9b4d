/**
 * Computes, for each hour, how completely the service recorded a source. The result has the numbers of ticks
 * and blocks. It also has the time spans in which the source was silent, late or without a coin price.
 */

import type { Database } from '../infra/clickhouse/database.ts'
import { dayMs, type EpochMs, hourMs, minuteMs } from '../schemas/units.ts'
import { firstTick } from './at-cut.ts'
import { newestBlockKnown, tickChanges, tickHours } from './covered-ticks.ts'
import type { StageCut } from './cuts.ts'
import { selectOne } from './select-one.ts'
import type { StateCounts } from './trade-gaps/trade-gaps.ts'

/** A half-open span of time: `[fromMs, toMs)`. */
export type Span = Readonly<{ fromMs: EpochMs; toMs: EpochMs }>

/**
 * How completely one hour was recorded:
 * - `silent`: time spans in which no new block of the source became known.
 * - `late`: time spans of blocks that became known too late.
 * - `unpriced`: time spans of blocks for which the coin had no price, or only an old price.
 */
export type CoveredHour = Readonly<{
  hourAtMs: EpochMs
  ticks: number
  /** The numbers of the first and the last known block of the hour. Null if no block is known. */
  blocks: Readonly<{ first: number; last: number }> | null
  silent: readonly Span[]
  late: readonly Span[]
  unpriced: readonly Span[]
}>

/** A version of the rules, and the block time from which this version is used. */
type RulesInForce = Readonly<{ version: string; sinceMs: EpochMs }>

export type Coverage = Readonly<{
  /** The time at which the oldest tick in the tables became known. Null if there is no tick yet. */
  knownSinceMs: EpochMs | null
  hours: readonly CoveredHour[]
  rules: readonly RulesInForce[]
}>

/** The coverage is computed for this duration before the cut. */
export const coverageBackMs = 7 * dayMs

/**
 * The limits of normal operation. A source is silent after 60 s without a new block. A block is late if it became
 * known more than 120 s after its time. A coin price is old after ten minutes. Normally a block comes within
 * seconds, and a price every minute.
 */
const limits = { silentMs: 60_000, lateMs: 120_000, priceAgeMs: 10 * minuteMs } as const

/** The coverage that ticks show, together with row counts and gaps from the tables of the source. */
export type Covered = Coverage &
  Readonly<{
    watched: Watched
    /**
     * For each start of an hour, the number of gaps in the recorded trades, by state of the gap. Null if the
     * source has no trades.
     */
    tradeGaps: ReadonlyMap<number, StateCounts> | null
    /**
     * The spans in which posts were missed or read late, with the number of chats. Null if the source has no
     * chats.
     */
    chatGaps: readonly ChatGapSpan[] | null
  }>

export type ChatGapSpan = Span & Readonly<{ reason: string; chats: number }>

type StateChange = Readonly<{
  blockAtMs: EpochMs
  /** The block time of the previous tick. 0 if there is no previous tick. */
  formerAtMs: EpochMs
  knownAtMs: EpochMs
  formerKnownAtMs: EpochMs
  isLate: boolean
  isUnpriced: boolean
  rulesVersion: string
}>

/**
 * Returns the coverage of the hours before the cut, from data that was known at the cut. The last hour ends
 * at the cut's newest block, or at the cut if the source is silent. `database` has the reader role.
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
  const newest = await selectOne<{ knownAtMs: string }>(database, `SELECT * FROM ${newestBlockKnown(topic, range)}`)
  const newestKnownAtMs = Number(newest.knownAtMs) || cut.atMs
  const spans = spansOf(changes, { fromMs, toMs, atMs: cut.atMs, newestKnownAtMs })
  const hours: CoveredHour[] = []
  const endMs = Math.min(Math.max(toMs, spans.silent.at(-1)?.toMs ?? toMs), toMs + coverageBackMs)
  for (let hourAtMs = Math.floor(fromMs / hourMs) * hourMs; hourAtMs < endMs; hourAtMs += hourMs) {
    const known = counted.get(hourAtMs)
    const hour = { fromMs: Math.max(fromMs, hourAtMs), toMs: Math.min(endMs, hourAtMs + hourMs) }
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

/**
 * For each start of an hour, the number of rows of each kind in that hour. An example of a kind is `bursts`.
 */
export type Watched = ReadonlyMap<number, Readonly<Record<string, number>>>

type Counting = Readonly<{ name: string; source: string; column: string }>

/** Counts the rows of each source, by the hour of the time in `column`. `source` is a subquery in brackets. */
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

type Ended = Span &
  Readonly<{
    /** The knowledge time of the cut. */
    atMs: EpochMs
    /** The time at which the newest block became known. */
    newestKnownAtMs: EpochMs
  }>

/**
 * Converts the changes between normal and late or unpriced ticks into time spans. A tick reports all blocks
 * after the previous tick. So a late or unpriced span begins at the block time of the tick before the first
 * late or unpriced tick. The span ends at the block time of the last such tick. If one tick reports a long time, its
 * newest blocks may not be late. Then a late span ends before them.
 */
export function spansOf(changes: readonly StateChange[], { fromMs, toMs, atMs, newestKnownAtMs }: Ended): Spans {
  const silent: Span[] = []
  const rules: RulesInForce[] = []
  for (const { blockAtMs, knownAtMs, formerKnownAtMs, rulesVersion } of changes) {
    if (formerKnownAtMs > 0 && knownAtMs - formerKnownAtMs > limits.silentMs)
      silent.push({ fromMs: formerKnownAtMs, toMs: knownAtMs })
    if (rules.at(-1)?.version !== rulesVersion) rules.push({ version: rulesVersion, sinceMs: blockAtMs })
  }
  if (atMs - newestKnownAtMs > limits.silentMs) silent.push({ fromMs: newestKnownAtMs, toMs: atMs })
  type Reached = Readonly<{ blockAtMs: EpochMs; knownAtMs: EpochMs }>
  const spansWhere = (
    holds: (change: StateChange) => boolean,
    endOf: (reached: Reached) => EpochMs = ({ blockAtMs }) => blockAtMs,
  ): readonly Span[] => {
    const spans: Span[] = []
    let sinceMs: EpochMs | null = null
    for (const change of changes) {
      if (holds(change)) sinceMs ??= change.formerAtMs === 0 ? Math.max(fromMs, change.blockAtMs) : change.formerAtMs
      else if (sinceMs !== null) {
        const former = { blockAtMs: change.formerAtMs, knownAtMs: change.formerKnownAtMs }
        spans.push({ fromMs: sinceMs, toMs: endOf(former) })
        sinceMs = null
      }
    }
    const last = { blockAtMs: toMs, knownAtMs: newestKnownAtMs }
    return sinceMs === null ? spans : [...spans, { fromMs: sinceMs, toMs: endOf(last) }]
  }
  return {
    silent,
    rules,
    late: spansWhere(
      ({ isLate }) => isLate,
      ({ blockAtMs, knownAtMs }) => Math.min(blockAtMs, knownAtMs - limits.lateMs),
    ),
    unpriced: spansWhere(({ isUnpriced }) => isUnpriced),
  }
}

const within = (spans: readonly Span[], hour: Span): readonly Span[] =>
  spans
    .map(({ fromMs, toMs }) => ({ fromMs: Math.max(fromMs, hour.fromMs), toMs: Math.min(toMs, hour.toMs) }))
    .filter(({ fromMs, toMs }) => fromMs < toMs)
