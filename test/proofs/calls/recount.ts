/**
 * Counts all calls of a run again, from the recorded facts. Gives the rows of the calls for a cut (a time,
 * with what was known then), and the scores of posts.
 */
import type { Line } from '../../support/oracle/calls/lines.ts'
import { type Counted, tickAfter, watchesOf } from '../../support/oracle/calls/posts.ts'
import { type CallRules, callRules } from '../../support/oracle/calls/rules.ts'
import type { Seen } from '../../support/oracle/calls/samples.ts'
import { rowsOf, scoresOf, type Told } from '../../support/oracle/calls/watch.ts'
import type { Facts, TokenTold } from './derive/load-facts.ts'

export type Rules = CallRules &
  Readonly<{
    /** A factor for the weight that the answer gives to the pooled value. */
    kFactor: number
  }>
export const rules: Rules = { ...callRules, kFactor: 1 }

type Row = ReturnType<typeof rowsOf>[number]
type Score = ReturnType<typeof scoresOf>[number]
type Of = Readonly<{ chain: string; token: string }>

/** `posts` are the posts about the call, in the order in which they were counted. */
export type CallRow = Of & Row & Readonly<{ posts: readonly Counted[] }>
/** `knownAtMs` is when the score was published. */
export type ScoreRow = Of & Score & Readonly<{ knownAtMs: number }>

export type Recount = Readonly<{
  facts: Facts
  rules: Rules
  scores: readonly ScoreRow[]
  /** The rows at the cut. */
  rowsAt(cutAtMs: number): readonly CallRow[]
  /** The rows at the cut. Calls `seen` for each branch that they take. */
  rowsWith(seen: Seen, cutAtMs: number): readonly CallRow[]
  /** Everything that is known about a token at the cut. */
  toldAt(its: TokenTold, cutAtMs: number): Told
  tokens: readonly TokenTold[]
}>

const never = Number.POSITIVE_INFINITY

export function recount(facts: Facts, its: Rules): Recount {
  const tokens = facts.named()
  const linesOf = new Map<TokenTold, readonly Line[]>(tokens.map((token) => [token, token.lines()]))
  const timesUntil = new Map<string, readonly number[]>()
  const timesOf = (chain: string, cutAtMs: number) => {
    const name = `${chain} ${cutAtMs}`
    const known = timesUntil.get(name)
    if (known !== undefined) return known
    const times = facts.ticksOf(chain).flatMap(({ knownAtMs, blockAtMs }) => (knownAtMs <= cutAtMs ? [blockAtMs] : []))
    timesUntil.set(name, times)
    return times
  }
  const toldAt = (token: TokenTold, cutAtMs: number): Told => {
    const tickAtMs = timesOf(token.chain, cutAtMs)
    return {
      ...{ lines: linesOf.get(token) ?? [], tickAtMs, rules: its },
      posts: token.posts.filter(({ knownIn }) => knownIn < tickAtMs.length),
      answerTo(atMs) {
        const answered = token.answers.get(atMs)
        return answered && answered.tick < tickAtMs.length ? answered : undefined
      },
    }
  }
  const rows = new Map<number, readonly CallRow[]>()
  return {
    ...{ facts, rules: its, tokens, toldAt },
    scores: tokens.flatMap((token) => scoresIn(token, toldAt(token, never), facts)),
    rowsWith: (seen, cutAtMs) => tokens.flatMap((token) => rowsIn(token, { ...toldAt(token, cutAtMs), seen })),
    rowsAt(cutAtMs) {
      const known = rows.get(cutAtMs) ?? tokens.flatMap((token) => rowsIn(token, toldAt(token, cutAtMs)))
      rows.set(cutAtMs, known)
      return known
    },
  }
}

function rowsIn({ chain, token }: TokenTold, told: Told): readonly CallRow[] {
  const watches = watchesOf(told)
  return rowsOf(told).map((row, index) => ({ chain, token, ...row, posts: watches[index] ?? [] }))
}

/**
 * Returns the scores of a token with the times of their publication. A score with prices from the log is
 * published when block time has passed the end of the score. For a score with looked-up prices, the log shows
 * when it was published.
 */
function scoresIn({ chain, token, scoredIn }: TokenTold, told: Told, facts: Facts): readonly ScoreRow[] {
  const ticks = facts.ticksOf(chain)
  return scoresOf(told).map((score) => {
    const { postedAtMs, chat, post } = score.mention
    const fromMs =
      score.unscored === null && score.anchorAtMs !== null ? score.anchorAtMs : postedAtMs + told.rules.anchorDelayMs
    const due = Math.max(score.tick, tickAfter(told.tickAtMs, fromMs + told.rules.scoreMs))
    const tick = score.isAsked ? (scoredIn.get(`${chat}:${post}`) ?? due) : due
    return { chain, token, ...score, knownAtMs: ticks[tick]?.knownAtMs ?? never }
  })
}
