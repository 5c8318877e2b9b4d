/** Who bought in a burst and had bought in earlier ones: a query, because it crosses tokens. */

/** How far back a buyer is remembered: 30 days before the signal. */
export const memoryMs = 30 * 24 * 60 * 60 * 1000

/** Subqueries of a table that has `at_ms`, `wallets` and the token's column beside `known_at_ms`, as `atCut` gives them. */
type RepeatBuyersQuestion = Readonly<{
  /** The bursts whose repeat buyers are counted: signals in `[from, to]`. */
  asked: string
  /** All bursts from `from - 30 days` to `to`. */
  remembered: string
  /** The column that names a burst beside its instant. */
  named: string
  from: number
  to: number
}>

/**
 * Of the buyers of each burst, how many had bought in an earlier burst of the last 30 days whose buyers were known no later
 * than its own. By `name` and `atMs`.
 *
 * A join of appearances with appearances would explode for a wallet that buys everywhere. Earlier bursts that every burst
 * asked for remembers are therefore reduced to one instant for each wallet: the earliest at which one of them was known.
 * Only the edges, before `to - 30 days` or from `from` on, are compared burst by burst.
 */
export function repeatBuyersSql({ asked, remembered, named, from, to }: RepeatBuyersQuestion): string {
  const isInEveryMemory = `at_ms >= ${to - memoryMs} AND at_ms < ${from}`
  return `SELECT b.${named} AS name, b.at_ms AS atMs,
      countIf(w.everyCount > 0 AND w.everyKnown <= b.known_at_ms OR arrayExists(
        (at, known) -> at < b.at_ms AND at >= b.at_ms - ${memoryMs} AND known <= b.known_at_ms, w.edgeAts, w.edgeKnowns
      )) AS repeats
    FROM (SELECT ${named}, at_ms, known_at_ms, arrayJoin(wallets) AS wallet FROM ${asked}) AS b
    INNER JOIN (
      SELECT wallet, countIf(${isInEveryMemory}) AS everyCount, minIf(known_at_ms, ${isInEveryMemory}) AS everyKnown,
        groupArrayIf(at_ms, NOT (${isInEveryMemory})) AS edgeAts, groupArrayIf(known_at_ms, NOT (${isInEveryMemory})) AS edgeKnowns
      FROM (SELECT at_ms, known_at_ms, arrayJoin(wallets) AS wallet FROM ${remembered})
      WHERE wallet IN (SELECT arrayJoin(wallets) FROM ${asked})
      GROUP BY wallet
    ) AS w ON w.wallet = b.wallet
    GROUP BY b.${named}, b.at_ms`
}

export type SelectedRepeats = Readonly<{ name: string; atMs: string; repeats: string }>
