/** Who bought in a burst and had bought in earlier ones: a query, because it crosses tokens. */
import type { Database } from '../infra/clickhouse/database.ts'
import type { StageCut } from './cuts.ts'

const hourMs = 3_600_000

/** How far back a buyer is remembered: 30 days before the signal. */
export const memoryMs = 30 * 24 * hourMs

/** What became known so long after it happened was read of the past. */
const lateAfterMs = 120_000

/** A burst of the present counts in a later one if its buyers are known no later than this after those of the later one. */
const waitMs = 60_000

/** Lookups answer older questions with a failure, and one answer may take a while. */
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
  /** SQL over a burst: its rule still waits for the buyers, if they are not known yet. */
  isFollowed: string
}>

type Range = Readonly<{ from: number; to: number }>

type CountedBurst = Readonly<{ name: string; atMs: number; buyersKnownAtMs: number }>

/**
 * Of the buyers of a burst, those who had bought in an earlier burst of the last 30 days. Null: the buyers of an earlier burst
 * that may count are not known yet.
 *
 * Knowledge times of the past order nothing, because lookups answer live bursts before those of a backfill. So an earlier
 * burst that was known late counts whenever its buyers become known. One of the present counts if they are known within a
 * minute of those of the later burst: an outage of the lookups neither looks ahead nor holds up the rows that follow it.
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
  const [firstOpenAtMs, firstLateAtMs] = [Number(open?.firstAtMs ?? 0), Number(open?.firstLateAtMs ?? 0)]
  const isBefore = (openAtMs: number, atMs: number) => openAtMs > 0 && openAtMs < atMs
  return ({ name, atMs, buyersKnownAtMs }) => {
    if (isBefore(firstLateAtMs, atMs)) return null
    if (isBefore(firstOpenAtMs, atMs) && cut.atMs < buyersKnownAtMs + waitMs) return null
    return repeats.get(`${name} ${atMs}`) ?? 0
  }
}

type SelectedRepeats = Readonly<{ name: string; atMs: string; repeats: string }>
type SelectedOpen = Readonly<{ firstAtMs: string; firstLateAtMs: string }>

const isLate = `known_at_ms > at_ms + ${lateAfterMs}`

/**
 * By `name` and `atMs`; bursts without repeat buyers are missing or 0.
 *
 * A join of appearances with appearances would explode for a wallet that buys everywhere. Earlier bursts that every burst
 * asked for remembers are therefore reduced to one instant for each wallet: the earliest at which one of them was known.
 * Only the edges, before `to - 30 days` or from `from` on, are compared burst by burst.
 */
function repeatBuyersSql({ range, key, named, asked, buyersIn, burstsIn }: RepeatBuyersQuestion): string {
  const { from, to } = range
  const memory = { from: from - memoryMs, to }
  const isInEveryMemory = `at_ms >= ${to - memoryMs} AND at_ms < ${from}`
  const name = key.join(', ')
  // The buyers of a late burst are late too, so few bursts are looked up.
  const settledAtMs = `if(${isLate} AND (${name}) IN (SELECT ${name} FROM ${burstsIn(memory)} WHERE ${isLate}), 0, known_at_ms)`
  return `SELECT b.${named} AS name, b.at_ms AS atMs,
      countIf(w.everyCount > 0 AND w.everySettled <= b.counted_to_ms OR arrayExists(
        (at, settled) -> at < b.at_ms AND at >= b.at_ms - ${memoryMs} AND settled <= b.counted_to_ms, w.edgeAts, w.edgeSettled
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

/** One row: the first burst whose buyers are not known yet, and the first of those that were known late; 0: none. */
function firstOpenSql({ range, key, buyersIn, burstsIn, isFollowed }: RepeatBuyersQuestion, cut: StageCut): string {
  const recent = { from: cut.atMs - askedMsMax, to: range.to }
  const name = key.join(', ')
  return `SELECT min(at_ms) AS firstAtMs, minIf(at_ms, ${isLate}) AS firstLateAtMs FROM ${burstsIn(recent)}
    WHERE ${isFollowed} AND (${name}) NOT IN (SELECT ${name} FROM ${buyersIn(recent)})`
}
