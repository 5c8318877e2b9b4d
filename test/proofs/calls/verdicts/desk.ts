/** What the paper desk recorded of a token: its trades and shadows by the oracle of the desk, market by market. */
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
import { type Cut, knownAfter, knownBy } from './facts.ts'
import { type Desk, lookBackMs } from './rules.ts'

export type Market = Readonly<{ market: string }> &
  Pick<Story, 'source' | 'openedAtMs' | 'moves' | 'graduatedAtMs' | 'closedAtMs' | 'bursts'>

const lateMostMs = 120_000
const shadowMs = 3_600_000

/** All that ever happened, with the instants at which it was known. */
export type Recorded = Readonly<{
  trades: readonly (Position & Readonly<{ knownAtMs: number }>)[]
  shadows: readonly (Shadowed & Readonly<{ knownAtMs: number }>)[]
}>

type Token = Readonly<{
  token: string
  markets: readonly Market[]
  posts: Story['posts']
  ticks: readonly Tick[]
  /** The deepest at the instant. */
  marketAt(atMs: number): string | null
}>

/** By the first tick whose block time fits. */
function learnedIn(ticks: readonly Tick[], fits: (blockAtMs: number) => boolean): Learned {
  const tick = ticks.find(({ blockAtMs }) => fits(blockAtMs))
  return tick ?? { knownAtMs: Number.POSITIVE_INFINITY, blockAtMs: Number.POSITIVE_INFINITY }
}

/** A call is filled on the market that is the deepest then. */
export function recordOf({ token, markets, posts, ticks, marketAt }: Token, desk: Desk): Recorded {
  const stories = markets.map(
    (its): Story => ({
      ...{ ...its, desk, token, endMs: Number.POSITIVE_INFINITY },
      // A burst is told in the tick of its block, a call in the first that is later.
      bursts: its.bursts.map((burst) => ({ ...burst, learned: learnedIn(ticks, (atMs) => atMs >= burst.atMs) })),
      posts: posts.map((post) => ({ ...post, learned: learnedIn(ticks, (atMs) => atMs > post.atMs) })),
      isFilledHere: (dueAtMs) => marketAt(dueAtMs) === its.market,
    }),
  )
  const trades = stories.flatMap((story) => tradesOf(story))
  const shadows = stories.flatMap((story) =>
    shadowsOf({ ...story, endMs: ticks.at(-1)?.blockAtMs ?? 0 }).map((shadow) => {
      const overAtMs = Math.min(shadow.anchorAtMs + shadowMs, story.closedAtMs ?? Number.POSITIVE_INFINITY)
      return { ...shadow, knownAtMs: knownAfter(ticks, overAtMs) }
    }),
  )
  const closed = trades.map((trade) => {
    const known = trade.exit === 'time' ? knownAfter : knownBy
    return { ...trade, knownAtMs: known(ticks, trade.closedAtMs) }
  })
  const isInTime = ({ openedAtMs, closedAtMs, knownAtMs }: Recorded['trades'][number]) =>
    knownAtMs - closedAtMs <= lateMostMs && knownAfter(ticks, openedAtMs) - openedAtMs <= lateMostMs
  return { trades: closed.filter(isInTime), shadows }
}

/** Calls that the desk can act on. */
export const postsOf = (mentions: readonly Mentioned[]): Story['posts'] =>
  mentions
    .filter(({ kind, isLate, postedAtMs, answeredAtMs }) => {
      return kind === 'call' && !isLate && answeredAtMs - postedAtMs <= lateMostMs
    })
    .map(({ postedAtMs, answeredAtMs, chat }) => ({ atMs: Math.max(postedAtMs, answeredAtMs), chat }))

/** As both verdicts show it. */
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
