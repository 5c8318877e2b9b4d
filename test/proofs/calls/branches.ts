/** Counts the branches of the call rules that a run took. A run says nothing about a branch that it did not take. */
import { closedLater, deepestAt, hourMs, type Line, standingOf } from '../../support/oracle/calls/lines.ts'
import { followedFor, keptMarkets, type Told } from '../../support/oracle/calls/watch.ts'
import type { CallRow, Recount, ScoreRow } from './recount.ts'

/** The names of the branches, in the order of the written rules about calls. */
const branchNames = [
  ...['anchor in force', 'anchor is the first price within 2 min', 'anchor asked within 15 s', 'no anchor'],
  ...['asked at the post: too late', 'asked at the post: no price', 'asked at the post: nobody answered'],
  ...['pulled before the first mark', 'pulled between marks', 'pulled after 24 h', 'pulled in several transactions'],
  ...['half is taken, and it is no pull', 'refilled after the pull', 'a second market after the pull'],
  ...[
    'curve goes on in its pool within the watch',
    'market followed beyond its own life',
    'call too late to be followed',
    'call of a token beyond those that are followed',
  ],
  ...['dead', 'revived', 'mark in the dying run', 'return reached while dead', 'failed reads ended by a price'],
  ...['unanswered sample', 'unanswered sample among failed ones', 'done with a last return'],
  ...['no code', 'launched after its address was posted'],
  ...[
    'score: on the log',
    'score: asked',
    'score: late_anchor',
    'score: no_price',
    'score: unanswered',
    'score: too_many',
  ],
  ...['score: pulled', 'score: win', 'score: stopped', 'score: neither', 'score: curve goes on within the hour'],
  ...['score: on another market after a pull', 'score: post of many tokens'],
] as const
export type Branch = (typeof branchNames)[number]

export type Counts = ReadonlyMap<string, number>

export function branchesOf(counted: Recount, cutAtMs: number): Counts {
  const counts = new Map<string, number>(branchNames.map((name) => [name, 0]))
  const seen = (name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1)
  const tolds = new Map(counted.tokens.map((its) => [nameOf(its), counted.toldAt(its, cutAtMs)]))
  const toldOf = (its: Of) => tolds.get(nameOf(its)) as Told
  const rugged = new Map<string, string>()
  const withoutCode = new Set<string>()
  for (const row of counted.rowsWith(seen, cutAtMs)) {
    if (row.hasCode === false) withoutCode.add(nameOf(row))
    else if (withoutCode.has(nameOf(row))) seen('launched after its address was posted')
    branchesOfRow(row, toldOf(row)).forEach(seen)
    if (row.ruggedAtMs !== null && row.anchor?.market) rugged.set(nameOf(row), row.anchor.market)
  }
  for (const score of counted.scores) {
    branchesOfScore(score, toldOf(score)).forEach(seen)
    const pulled = rugged.get(nameOf(score)) ?? score.market
    if (score.market !== null && score.market !== pulled) seen('score: on another market after a pull')
  }
  return counts
}

type Of = Readonly<{ chain: string; token: string }>
const nameOf = ({ chain, token }: Of): string => `${chain} ${token}`

const named = (matches: Readonly<Partial<Record<Branch, boolean>>>): readonly Branch[] =>
  (Object.keys(matches) as Branch[]).filter((name) => matches[name])

function branchesOfRow(row: CallRow, told: Told): readonly Branch[] {
  const { anchor, calledAtMs, hasCode, isDone, ret48h } = row
  const { rules } = told
  const isOnLog = anchor !== null && !anchor.isAsked
  return [
    ...named({
      'anchor in force': isOnLog && anchor.atMs === calledAtMs + rules.anchorDelayMs,
      'anchor is the first price within 2 min': isOnLog && anchor.atMs > calledAtMs + rules.anchorDelayMs,
      'anchor asked within 15 s': anchor?.isAsked === true,
      'no anchor': anchor === null && hasCode !== false,
      'done with a last return': isDone && ret48h !== null,
      'no code': hasCode === false,
    }),
    ...branchesOfQuestion(row, told),
    ...branchesOfPull(row, told),
    ...branchesOfMarket(row, told),
  ]
}

function branchesOfQuestion({ anchor, hasCode, calledAtMs }: CallRow, { answerTo }: Told): readonly Branch[] {
  if (anchor !== null || hasCode === false) return []
  const answer = answerTo(calledAtMs, 0)?.answer
  return named({
    'asked at the post: too late': answer?.price != null,
    'asked at the post: no price': answer?.price === null && answer.isWithoutPrice,
    'asked at the post: nobody answered': answer === undefined || (answer.price === null && !answer.isWithoutPrice),
  })
}

/**
 * Returns the prices of the market that the anchor (the starting price of a call) belongs to at this time. If
 * a curve has ended, these are the prices of its pool.
 */
const standingAt = ({ anchor }: CallRow, told: Told, atMs: number): Line | null =>
  anchor?.market ? standingOf(keptMarkets(told), anchor.market, atMs) : null

function branchesOfPull(row: CallRow, told: Told): readonly Branch[] {
  const { ruggedAtMs, anchor, calledAtMs } = row
  const untilMs = ruggedAtMs ?? Math.min(told.tickAtMs.at(-1) ?? 0, calledAtMs + told.rules.watchMs)
  const line = standingAt(row, told, untilMs)
  if (anchor === null || line === null) return []
  const taken = line.changes.filter(({ atMs, ratio }) => atMs > anchor.atMs && atMs <= untilMs && ratio < 1)
  if (ruggedAtMs === null) return named({ 'half is taken, and it is no pull': taken.some(({ ratio }) => ratio <= 0.5) })
  const hours = (ruggedAtMs - calledAtMs) / hourMs
  const lastMs = told.tickAtMs.at(-1) ?? 0
  return named({
    'pulled before the first mark': hours <= 1,
    'pulled between marks': hours > 1 && hours <= 24,
    'pulled after 24 h': hours > 24,
    'pulled in several transactions': taken.length > 1 && taken.every(({ ratio }) => ratio > 0.2),
    'refilled after the pull': line.depthAt(ruggedAtMs + 1000) === null && line.depthAt(lastMs) !== null,
    'a second market after the pull': told.lines.some(({ openedAtMs }) => (openedAtMs ?? 0) > ruggedAtMs),
  })
}

function branchesOfMarket(row: CallRow, told: Told): readonly Branch[] {
  const { anchor, calledAtMs, posts, lastSampleAtMs } = row
  const mention = posts[0]?.mention
  if (mention === undefined) return []
  const all = keptMarkets(told)
  const followed = followedFor(all, mention, told.rules)
  const line = standingAt(row, told, calledAtMs)
  const endMs = calledAtMs + told.rules.watchMs
  const isOnLog = anchor?.market != null && lastSampleAtMs !== null
  const isLeftOut = deepestAt(all, calledAtMs) !== null && deepestAt(followed, calledAtMs) === null
  return named({
    'curve goes on in its pool within the watch':
      line?.ends != null && line.ends.next !== null && line.ends.atMs > calledAtMs && line.ends.atMs <= endMs,
    'market followed beyond its own life':
      isOnLog && line !== null && closedLater(line, mention.answeredAtMs) < lastSampleAtMs,
    'call too late to be followed': mention.isFollowed && isLeftOut,
    'call of a token beyond those that are followed': !mention.isFollowed && isLeftOut,
  })
}

function branchesOfScore(score: ScoreRow, told: Told): readonly Branch[] {
  const { unscored, isAsked, isWin35, mae, ruggedAtMs, anchorAtMs, mention } = score
  const line = told.lines.find(({ market }) => market === score.market)
  const isStopped = !isWin35 && (mae ?? 0) <= told.rules.stop - 1
  return [
    ...(unscored === null ? [] : [`score: ${unscored}` as const]),
    ...named({
      'score: on the log': unscored === null && !isAsked,
      'score: asked': unscored === null && isAsked === true,
      'score: pulled': ruggedAtMs !== null,
      'score: win': unscored === null && isWin35 === true,
      'score: stopped': unscored === null && isStopped,
      'score: neither': unscored === null && !isWin35 && !isStopped,
      'score: curve goes on within the hour':
        anchorAtMs != null && line?.ends != null && line.ends.atMs > anchorAtMs && line.ends.atMs < anchorAtMs + hourMs,
      'score: post of many tokens': unscored === null && mention.tokenCount > 3,
    }),
  ]
}
