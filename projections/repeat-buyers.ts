/** Who bought in a burst and had bought in earlier ones: a query, because it crosses tokens. */

import type { Database } from '../infra/clickhouse/database.ts'
import { buyerMemoryMs } from '../schemas/buyer-memory.ts'
import { hourMs, minuteMs } from '../schemas/units.ts'
import type { StageCut } from './cuts.ts'

/** A burst that became known later than this after its signal was backfilled. */
const backfilledAfterMs = 120_000

/** A live burst counts in a later one if its buyers are known within this time after those of the later one. */
const waitMs = minuteMs

/** Lookups answer questions older than 24.5 h with a failure, so nothing older than this is open. */
const askedMsMax = 25 * hourMs

/** Subqueries in brackets have `at_ms`, `known_at_ms` and the columns of `key`, as `atCut` gives them. */
type RepeatBuyersQuestion = Readonly<{
  /** The bursts whose repeat buyers are counted have their signals in here. */
  range: Range
  /** The columns that name a burst, its instant among them. */
  key: readonly string[]
  /** The column that names a burst beside its instant. */
  named: string
  /** Buyers of the bursts in `range` that are asked for, with `wallets`. */
  asked: string
  /** Buyers of all bursts in a range, with `wallets`. */
  buyersIn(range: Range): string
  /** All bursts in a range whose buyers become known. */
  burstsIn(range: Range): string
  /** SQL condition on a burst: the stage still takes an answer about its buyers. */
  isFollowed: string
}>

type Range = Readonly<{ from: number; to: number }>

type CountedBurst = Readonly<{ name: string; atMs: number; buyersKnownAtMs: number }>

/**
 * How many buyers of a burst had bought in an earlier burst of the last 30 days. Null while the buyers of an earlier burst that
 * may count are unknown. A number never changes once it is shown, unless a reorg restates a row.
 *
 * Lookups answer live bursts before those of a backfill, so knowledge times of a backfill order nothing: a backfilled burst
 * counts whenever its buyers become known. A live one counts if they are known within a minute of those of the later burst.
 * So a lookup that hangs neither adds to rows that were complete nor holds them up.
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
  const isBefore = (openAtMs: number, atMs: number) => openAtMs > 0 && openAtMs < atMs
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
 * By `name` and `atMs`; bursts without repeat buyers are missing or 0.
 *
 * A join of appearances with appearances would explode for a wallet that buys everywhere. Earlier bursts that every burst
 * asked for remembers are therefore reduced to one instant for each wallet: the earliest at which one of them was known.
 * Only the edges, before `to - 30 days` or from `from` on, are compared burst by burst.
 */
function repeatBuyersSql({ range, key, named, asked, buyersIn, burstsIn }: RepeatBuyersQuestion): string {
  const { from, to } = range
  const memory = { from: from - buyerMemoryMs, to }
  const isInEveryMemory = `at_ms >= ${to - buyerMemoryMs} AND at_ms < ${from}`
  const name = key.join(', ')
  // Buyers are never known before their burst, so the first condition spares most rows the look-up.
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

/** One row: the instants of the first burst whose buyers are unknown, and of the first backfilled one; 0: none. */
function firstOpenSql({ range, key, buyersIn, burstsIn, isFollowed }: RepeatBuyersQuestion, cut: StageCut): string {
  const recent = { from: cut.atMs - askedMsMax, to: range.to }
  const name = key.join(', ')
  return `SELECT min(at_ms) AS firstAtMs, minIf(at_ms, ${isBackfilled}) AS firstBackfilledAtMs FROM ${burstsIn(recent)}
    WHERE ${isFollowed} AND (${name}) NOT IN (SELECT ${name} FROM ${buyersIn(recent)})`
}
