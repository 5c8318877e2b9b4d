/**
 * Computes the expected precalls (the trades shortly before a call) for a cut, from the recount of the facts.
 * A cut is the time for which the route answers.
 */

import { seenUntilMs } from '../../support/oracle/calls/posts.ts'
import { buyersOf, precallOf, untrackedPrecall } from '../../support/oracle/calls/precall.ts'
import { keptMarkets } from '../../support/oracle/calls/watch.ts'
import { type Asking, hourMs } from './asking.ts'
import type { CallRow } from './recount.ts'

type Row = Readonly<Record<string, unknown>>

/**
 * A post has no precall if the stage handles it later than this after the post, by the time of the blocks. In
 * milliseconds.
 */
const lateMs = 900_000

/**
 * Returns the expected precall of each token of chain A with a call in the last 47 hours. The newest such
 * call counts.
 */
export function precallsOf(asking: Asking): ReadonlyMap<string, Row> {
  const { counted, cutAtMs } = asking
  const newest = new Map<string, CallRow>()
  for (const row of counted.rowsAt(cutAtMs)) {
    const { calledAtMs, chain, hasCode } = row
    const isIn = calledAtMs <= cutAtMs - 180_000 && calledAtMs > cutAtMs - 47 * hourMs
    if (chain === 'chain-a' && isIn && hasCode !== false) newest.set(row.token, row)
  }
  return new Map([...newest].map(([token, row]) => [token, rowOf(asking, row)]))
}

function rowOf({ counted, cutAtMs }: Asking, { token, chain, calledAtMs: postedAt, posts }: CallRow): Row {
  const { facts, rules } = counted
  const its = counted.tokens.find((one) => one.token === token && one.chain === chain)
  if (its === undefined) throw new TypeError(`nothing is told of ${token}`)
  const told = counted.toldAt(its, cutAtMs)
  const [first] = posts
  const isInTime = first !== undefined && seenUntilMs(told.tickAtMs, first) - postedAt <= lateMs
  const bought = { markets: keptMarkets(told), all: its.buys, rules }
  const precall = isInTime ? precallOf(bought, postedAt) : null
  if (precall !== null) return trackedOf(precall, buyersOf(bought, postedAt, facts.senderOf))
  // Only the answer of the price lookup is known about an untracked token.
  const answer = isInTime ? told.answerTo(postedAt, 0)?.answer : undefined
  const isSoon = answer !== undefined && answer.answeredAtMs - postedAt <= rules.askedAnchorMs
  const { run60, chg1h0, flags } = untrackedPrecall(postedAt, isSoon ? (answer.price?.change1h ?? null) : null, rules)
  return {
    ...{ postedAt, tracked: false, buys: null, buyEth: null, sameBlockMaxTx: null, run60, ageAtCallMin: null },
    ...{ chg1h0, wallets: null, sameBlockWallets: null, walletList: [], flags, gaps: null },
  }
}

type Precall = NonNullable<ReturnType<typeof precallOf>>

function trackedOf(precall: Precall, { isCluster, ...buyers }: ReturnType<typeof buyersOf>): Row {
  const { postedAtMs: postedAt, buys, buyWei, sameBlockMaxTx, run60, ageAtCallMs, flags } = precall
  return {
    ...{ postedAt, tracked: true, buys, buyEth: Number(buyWei) / 1e18, sameBlockMaxTx, run60, ...buyers },
    ageAtCallMin: ageAtCallMs === null ? null : ageAtCallMs / 60_000,
    ...{ flags: [...flags, ...(isCluster ? ['cluster'] : [])], gaps: null },
  }
}
