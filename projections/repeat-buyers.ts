/** Counts the buyers of a burst that bought in earlier bursts. It is a query, not a rule, because it crosses tokens. */

import type { Database } from '../infra/clickhouse/database.ts'
import { buyerMemoryMs } from '../schemas/buyer-memory.ts'
import { type EpochMs, hourMs, minuteMs } from '../schemas/units.ts'
import type { StageCut } from './cuts.ts'

/** A burst that became known later than this after its signal was backfilled. */
const backfilledAfterMs = 120_000

/** A live burst counts in a later one if its buyers are known within this time after those of the later one. */
const waitMs = minuteMs

/** Lookups answer questions older than 24.5 h with a failure, so nothing older than this is open. */
const askedMsMax = 25 * hourMs

/** Subqueries are in brackets and have `at_ms`, `known_at_ms` and the columns of `key`, as `atCut` gives them. */
type RepeatBuyersQuestion = Readonly<{
  /** The range of signals of the bursts whose repeat buyers are counted. */
  range: Range
  /** The columns that identify a burst, including its instant. */
  key: readonly string[]
  /** The column that identifies a burst together with its instant. */
  named: string
  /** A subquery for the buyers of the counted bursts, with `wallets`. */
  asked: string
  /** A subquery for the buyers of all bursts in a range, with `wallets`. */
  buyersIn(range: Range): string
  /** A subquery for all bursts in a range whose buyers are looked up. */
  burstsIn(range: Range): string
  /** SQL condition on a burst: the stage still accepts an answer about its buyers. */
  isFollowed: string
}>

type Range = Readonly<{ from: number; to: number }>

type CountedBurst = Readonly<{ name: string; atMs: EpochMs; buyersKnownAtMs: EpochMs }>

/**
 * Counts how many buyers of a burst bought in an earlier burst of the last 30 days. Null while the buyers of a relevant earlier
 * burst are unknown. Once shown, a number never changes, unless a reorg restates a row.
 *
 * Lookups answer live bursts before those of a backfill, so the knowledge times of a backfill have no meaningful order: a
 * backfilled burst counts whenever its buyers become known. A live burst counts if its buyers are known within a minute of those
 * of the later burst. So a lookup that hangs neither changes finished rows nor delays them.
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
 * SQL with the count for each `name` and `atMs`. Bursts without repeat buyers are missing or 0.
 *
 * Joining all appearances of wallets with each other would explode for a wallet that buys everywhere. Some earlier bursts are within
 * the 30 days of every counted burst. These are reduced to one instant per wallet: the earliest knowledge time. Only the edges,
 * before `to - 30 days` or from `from` on, are compared burst by burst.
 */
function repeatBuyersSql({ range, key, named, asked, buyersIn, burstsIn }: RepeatBuyersQuestion): string {
  const { from, to } = range
  const memory = { from: from - buyerMemoryMs, to }
  const isInEveryMemory = `at_ms >= ${to - buyerMemoryMs} AND at_ms < ${from}`
  const name = key.join(', ')
  // Buyers are never known before their burst, so the first condition saves the lookup for most rows.
  const settledAtMs = `if(${isBackfilled} AND (${name}) IN (SELECT ${name} FROM ${burstsIn(memory)} WHERE ${isBackfilled}), 0, known_at_ms)`
  return `SELECT b.${named} AS name, b.at_ms AS atMs,
      countIf(w.everyCount > 0 AND w.everySettled <= b.counted_to_ms OR arrayExists(
        (at, settled) -> at < b.at_ms AND at >= b.at_ms - ${buyerMemoryMs} AND settled <= b.counted_to_ms, w.edgeAts, w.edgeSettled
      )) AS repeats
    FROM (SELECT ${named}, at_ms, known_at_ms + ${waitMs} AS counted_to_ms, arrayJoin(wallets) AS wallet FROM ${asked}) AS b
    INNER JOIN (
      SELECT wallet, countIf(${isInEveryMemory}) AS everyCount, minIf(settled_at_ms, ${isInEveryMemory}) AS everySettled,
        groupArrayIf(at_ms, NOT (${isInEveryMemory})) AS edgeAts, groupArrayIf(settled_at_ms, NOT (${isInEveryMemory})) AS edgeSettled
      FROM (SELECT at_ms, ${settledAtMs} AS settled_at_ms, arrayJoin(wallets) AS wallet FROM ${buyersIn(memory)})
      WHERE wallet IN (SELECT arrayJoin(wallets) FROM ${asked})
      GROUP BY wallet
    ) AS w ON w.wallet = b.wallet
    GROUP BY b.${named}, b.at_ms`
}

/** SQL with one row: the instants of the first burst with unknown buyers, and of the first backfilled one. 0: none. */
function firstOpenSql({ range, key, buyersIn, burstsIn, isFollowed }: RepeatBuyersQuestion, cut: StageCut): string {
  const recent = { from: cut.atMs - askedMsMax, to: range.to }
  const name = key.join(', ')
  return `SELECT min(at_ms) AS firstAtMs, minIf(at_ms, ${isBackfilled}) AS firstBackfilledAtMs FROM ${burstsIn(recent)}
    WHERE ${isFollowed} AND (${name}) NOT IN (SELECT ${name} FROM ${buyersIn(recent)})`
}
