/**
 * Counts the buyers of a burst that also bought in earlier bursts. Queries count them, because a processor
 * sees only one token at a time.
 */

import type { Database } from '../infra/clickhouse/database.ts'
import { buyerMemoryMs } from '../schemas/buyer-memory.ts'
import { type EpochMs, hourMs, minuteMs } from '../schemas/units.ts'
import type { StageCut } from './cuts.ts'

/** A burst is called backfilled if it became known more than this number of milliseconds after its signal. */
export const backfilledAfterMs = 120_000

/**
 * If the buyers of an earlier burst become known more than this number of ms after the buyers of a later
 * burst, the earlier burst does not count for the later burst. This holds only for earlier bursts that are
 * not backfilled.
 */
export const waitMs = minuteMs

/**
 * The maximum age of a burst whose buyer lookup (a request to the node) can still be open, in milliseconds. A
 * lookup about a burst older than 24.5 h fails at once.
 */
export const askedMsMax = 25 * hourMs

/**
 * Describes which bursts and buyers are counted. The subqueries are in brackets, as `atCut` returns them.
 * Each has the columns `at_ms`, `known_at_ms` and those of `key`.
 */
type RepeatBuyersQuestion = Readonly<{
  /** The range of signal times of the bursts whose repeat buyers are counted. */
  range: Range
  /** The columns that identify a burst, including the time of the burst. */
  key: readonly string[]
  /** The column of the pool or the mint. Together with the time it identifies a counted burst. */
  named: string
  /** A subquery for the buyers of the counted bursts. It also has the column `wallets`. */
  countedBuyers: string
  /** Returns a subquery for the buyers of all bursts in a range. It also has the column `wallets`. */
  buyersIn(range: Range): string
  /** Returns a subquery for all bursts in a range whose buyers are looked up. */
  burstsIn(range: Range): string
  /**
   * An SQL condition about a burst. It is true if the stage still accepts the answer of the burst's buyer
   * lookup.
   */
  isFollowed: string
}>

type Range = Readonly<{ from: number; to: number }>

export type CountedBurst = Readonly<{ name: string; atMs: EpochMs; buyersKnownAtMs: EpochMs }>

export type WithWallets = CountedBurst & Readonly<{ wallets: readonly string[] }>

/** Returns the number of repeat buyers of each burst. A number is null as long as it is unknown. */
export type RepeatBuyers = (cut: StageCut, counted: readonly WithWallets[]) => Promise<readonly (number | null)[]>

/** Returns a function that counts repeat buyers from memory if possible, otherwise with queries. */
export const repeatBuyersFrom =
  (
    inMemory: (cut: StageCut, counted: readonly WithWallets[]) => Promise<readonly (number | null)[] | null>,
    selected: (cut: StageCut, range: Range) => Promise<(burst: CountedBurst) => number | null>,
  ): RepeatBuyers =>
  async (cut, counted) => {
    if (counted.length === 0) return []
    const found = await inMemory(cut, counted)
    if (found !== null) return found
    const instants = counted.map(({ atMs }) => atMs)
    return counted.map(await selected(cut, { from: Math.min(...instants), to: Math.max(...instants) }))
  }

/**
 * Counts the buyers of a burst that also bought in an earlier burst of the last 30 days. The count is null as
 * long as the buyers of an earlier burst are unknown but may still count. After a count was shown, only a reorg
 * can change it.
 *
 * An earlier live burst counts only if its buyers became known at most one minute after the buyers of the
 * later burst. So a slow lookup delays a count by at most one minute, and cannot change a shown count. An
 * earlier backfilled burst counts at any time at which its buyers become known. The lookups of a backfill wait
 * behind those of live bursts, so one minute is too short for them.
 */
export async function countRepeatBuyers(
  database: Database,
  cut: StageCut,
  question: RepeatBuyersQuestion,
): Promise<(burst: CountedBurst) => number | null> {
  const [counted, [open]] = await Promise.all([
    database.query<SelectedRepeats>(repeatBuyersSql(question)),
    database.query<SelectedOpen>(firstOpenSql(question, cut)),
  ])
  const repeats = new Map(counted.map(({ name, atMs, repeats: count }) => [`${name} ${atMs}`, Number(count)]))
  const [firstOpenAtMs, firstBackfilledAtMs] = [Number(open?.firstAtMs ?? 0), Number(open?.firstBackfilledAtMs ?? 0)]
  const isBefore = (openAtMs: EpochMs, atMs: EpochMs) => openAtMs > 0 && openAtMs < atMs
  return ({ name, atMs, buyersKnownAtMs }) => {
    if (isBefore(firstBackfilledAtMs, atMs)) return null
    if (isBefore(firstOpenAtMs, atMs) && cut.atMs < buyersKnownAtMs + waitMs) return null
    return repeats.get(`${name} ${atMs}`) ?? 0
  }
}

type SelectedRepeats = Readonly<{ name: string; atMs: string; repeats: string }>
type SelectedOpen = Readonly<{ firstAtMs: string; firstBackfilledAtMs: string }>

const isBackfilled = `known_at_ms > at_ms + ${backfilledAfterMs}`

/**
 * Returns SQL for the count by `name` and `atMs`. A burst without repeat buyers has no row, or has the count
 * 0.
 *
 * Some wallets buy in very many bursts, so a join of all pairs of their buys would be too large. Bursts in
 * `[to - 30 days, from)` are within the 30 days before every counted burst. Of these bursts, only the
 * earliest time at which the buyers were known is kept per wallet. Only the other bursts are compared one by
 * one.
 */
function repeatBuyersSql({ range, key, named, countedBuyers, buyersIn, burstsIn }: RepeatBuyersQuestion): string {
  const { from, to } = range
  const memory = { from: from - buyerMemoryMs, to }
  const isInEveryMemory = `at_ms >= ${to - buyerMemoryMs} AND at_ms < ${from}`
  const name = key.join(', ')
  // The first condition uses the time at which the buyers became known, which is never before the burst
  // became known. If this condition is false, the burst is not backfilled, and the subquery is skipped.
  const settledAtMs = `if(${isBackfilled} AND (${name}) IN (SELECT ${name} FROM ${burstsIn(memory)} WHERE ${isBackfilled}), 0, known_at_ms)`
  return `SELECT b.${named} AS name, b.at_ms AS atMs,
      countIf(w.everyCount > 0 AND w.everySettled <= b.counted_to_ms OR arrayExists(
        (at, settled) -> at < b.at_ms AND at >= b.at_ms - ${buyerMemoryMs} AND settled <= b.counted_to_ms, w.edgeAts, w.edgeSettled
      )) AS repeats
    FROM (SELECT ${named}, at_ms, known_at_ms + ${waitMs} AS counted_to_ms, arrayJoin(wallets) AS wallet FROM ${countedBuyers}) AS b
    INNER JOIN (
      SELECT wallet, countIf(${isInEveryMemory}) AS everyCount, minIf(settled_at_ms, ${isInEveryMemory}) AS everySettled,
        groupArrayIf(at_ms, NOT (${isInEveryMemory})) AS edgeAts, groupArrayIf(settled_at_ms, NOT (${isInEveryMemory})) AS edgeSettled
      FROM (SELECT at_ms, ${settledAtMs} AS settled_at_ms, arrayJoin(wallets) AS wallet FROM ${buyersIn(memory)})
      WHERE wallet IN (SELECT arrayJoin(wallets) FROM ${countedBuyers})
      GROUP BY wallet
    ) AS w ON w.wallet = b.wallet
    GROUP BY b.${named}, b.at_ms`
}

/**
 * Returns SQL for one row with two times: that of the first burst with unknown buyers, and that of the first
 * backfilled burst with unknown buyers. A time is 0 if there is no such burst.
 */
function firstOpenSql({ range, key, buyersIn, burstsIn, isFollowed }: RepeatBuyersQuestion, cut: StageCut): string {
  const recent = { from: cut.atMs - askedMsMax, to: range.to }
  const name = key.join(', ')
  return `SELECT min(at_ms) AS firstAtMs, minIf(at_ms, ${isBackfilled}) AS firstBackfilledAtMs FROM ${burstsIn(recent)}
    WHERE ${isFollowed} AND (${name}) NOT IN (SELECT ${name} FROM ${buyersIn(recent)})`
}
