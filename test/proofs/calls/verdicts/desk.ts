/**
 * Computes the records of the paper desk (a simulated trader) about a token. `oracle/desk` gives the trades
 * and shadows of each market. A shadow is a record of the prices after a signal.
 */
import type { Mentioned } from '../../../../schemas/calls/facts.ts'
import type { Tick } from '../../../../schemas/tick.ts'
import {
  type Learned,
  type Position,
  type Shadowed,
  type Story,
  shadowsOf,
  tradesOf,
} from '../../../support/oracle/desk/desk.ts'
import { type Cut, knownAfter, knownBy, type Told } from './facts.ts'
import { type Desk, lookBackMs } from './rules.ts'

/**
 * `goesOnAtMs` is the block time at which another market replaces this market and closes it. Null if no
 * market has replaced it.
 */
export type Market = Readonly<{ market: string; goesOnAtMs: number | null; openedAtMs: number }> &
  Pick<Story, 'source' | 'moves' | 'graduatedAtMs' | 'closedAtMs' | 'bursts'>

const lateMostMs = 120_000
const shadowMs = 3_600_000

/** All trades and shadows of the token, with the times at which the service knew them. */
export type Recorded = Readonly<{
  trades: readonly (Position & Readonly<{ knownAtMs: number }>)[]
  shadows: readonly (Shadowed & Readonly<{ knownAtMs: number }>)[]
}>

type Post = Readonly<{ atMs: number; chat: string; tick: number }>

type Token = Readonly<{
  token: string
  markets: readonly Market[]
  posts: readonly Post[]
  ticks: readonly Tick[]
  /** Returns the market with the most liquidity at this time. */
  marketAt(atMs: number): string | null
}>

const never: Learned = { knownAtMs: Number.POSITIVE_INFINITY, blockAtMs: Number.POSITIVE_INFINITY }

/**
 * Computes the trades and shadows of a token. A call (a post about the token) is filled on the market that
 * has the most liquidity at the fill.
 */
export function recordOf({ token, markets, posts, ticks, marketAt }: Token, desk: Desk): Recorded {
  const stories = markets.map((its): Story & Market => ({
    ...{ ...its, desk, token, endMs: Number.POSITIVE_INFINITY },
    closedAtMs: its.goesOnAtMs ?? its.closedAtMs,
    // A burst becomes known with the tick of its block. A call becomes known with the next tick after it in
    // the log.
    bursts: its.bursts.map((burst) => {
      return { ...burst, learned: ticks.find(({ blockAtMs }) => blockAtMs >= burst.atMs) ?? never }
    }),
    posts: posts.map((post) => ({ ...post, learned: ticks[post.tick] ?? never })),
    isFilledHere: (dueAtMs) => marketAt(dueAtMs) === its.market,
  }))
  const trades = stories.flatMap((story) => tradesOf(story))
  const shadows = stories.flatMap((story) =>
    shadowsOf(story).map((shadow) => ({ ...shadow, knownAtMs: toldAtMs(story, shadow, ticks) })),
  )
  const closed = trades.map((trade) => {
    const known = trade.exit === 'time' ? knownAfter : knownBy
    return { ...trade, knownAtMs: known(ticks, trade.closedAtMs) }
  })
  const isInTime = ({ openedAtMs, closedAtMs, knownAtMs }: Recorded['trades'][number]) =>
    knownAtMs - closedAtMs <= lateMostMs && knownAfter(ticks, openedAtMs) - openedAtMs <= lateMostMs
  return { trades: closed.filter(isInTime), shadows }
}

/** A shadow is published when its hour is over, or earlier when its market closes. */
function toldAtMs(
  { closedAtMs, goesOnAtMs }: Story & Market,
  { anchorAtMs }: Shadowed,
  ticks: readonly Tick[],
): number {
  const overAtMs = anchorAtMs + shadowMs
  if (goesOnAtMs !== null && goesOnAtMs <= overAtMs) return knownBy(ticks, goesOnAtMs)
  return knownAfter(ticks, Math.min(overAtMs, closedAtMs ?? Number.POSITIVE_INFINITY))
}

/** The calls that the desk can use. */
export const postsOf = (told: readonly Told<Fact>[]): readonly Post[] =>
  told.flatMap(({ record: { type, data }, tick }) => {
    if (type !== 'Mentioned') return []
    const { kind, isLate, hasCode, postedAtMs, answeredAtMs, chat } = data as Mentioned
    const isSignal = kind === 'call' && !isLate && hasCode !== false && answeredAtMs - postedAtMs <= lateMostMs
    return isSignal ? [{ atMs: Math.max(postedAtMs, answeredAtMs), chat, tick }] : []
  })

type Fact = Readonly<{ type: string; data: object }>

/** Returns the fields about the paper desk, which both chains' verdicts have. */
export function deskAt({ trades, shadows }: Recorded, { cutAtMs, blockAtMs }: Cut) {
  const isIn = (atMs: number) => atMs > blockAtMs - lookBackMs
  const [last] = trades
    .filter(({ knownAtMs, closedAtMs }) => knownAtMs <= cutAtMs && isIn(closedAtMs))
    .sort(
      (one, other) =>
        other.closedAtMs - one.closedAtMs || compare(one.lane, other.lane) || other.openedAtMs - one.openedAtMs,
    )
  return {
    lastTrade: last === undefined ? null : tradeOf(last),
    shadows: shadows
      .filter(({ knownAtMs, signalAtMs }) => knownAtMs <= cutAtMs && isIn(signalAtMs))
      .sort((one, other) => one.signalAtMs - other.signalAtMs || compare(one.signal, other.signal))
      .map(({ signalAtMs: signalAt, signal, returns: [ret1, ret5, ret15, ret60], mfe, mae }) => {
        return { ...{ signalAt, signal, ret1, ret5, ret15, ret60 }, ...{ mfe, mae } }
      }),
  }
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

const tradeOf = ({ book, ret, exit, closedAtMs: closedAt }: Position) => ({
  ...{ book, mode: 'paper', retPct: ret * 100, exit: exit.replaceAll('_', '-'), closedAt },
})
