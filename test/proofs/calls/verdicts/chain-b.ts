/** The verdict about a mint of chain B, counted again from its facts. */
import type { ChainBRecord, SafetyAnswer } from '../../../../schemas/chain-b/facts.ts'
import { anyTexts } from '../../../support/answers-oracle/chain-b/answers.ts'
import { base58Of } from '../../../support/answers-oracle/chain-b/base58.ts'
import { burstsOf } from '../../../support/answers-oracle/chain-b/bursts.ts'
import { type FactLog, followedMs, knownAt, type MintStory } from '../../../support/answers-oracle/chain-b/known.ts'
import { movesOf } from '../../../support/answers-oracle/chain-b/market.ts'
import { type FoundBurst, type Recount, recount } from '../../../support/answers-oracle/chain-b/recount.ts'
import { rules as burstRules } from '../../../support/answers-oracle/chain-b/rules.ts'
import type { Callers } from './callers.ts'
import { deskAt, type Market, postsOf, type Recorded, recordOf } from './desk.ts'
import { type Cut, envelopeOf, type Facts, isKnownAt } from './facts.ts'
import { gradeAt } from './grade.ts'
import { lookBackMs, type VerdictRules } from './rules.ts'

export type ChainB = Readonly<{
  facts: Facts<ChainBRecord>
  /** Bursts and graduations that were known at a cut. */
  at(cut: Cut): Recount
  recorded(mint: string, rules: VerdictRules): Recorded
}>

export function openChainB(facts: Facts<ChainBRecord>): ChainB {
  const log: FactLog = facts.partitions
  const stories = new Map(knownAt(log, Number.POSITIVE_INFINITY).stories.map((story) => [story.mint, story]))
  const found = new Map<number, Recount>()
  const known = new Map<string, Readonly<{ desk: VerdictRules['chainBDesk']; record: Recorded }>>()
  return {
    facts,
    at({ cutAtMs }) {
      const recounted = found.get(cutAtMs) ?? recount(knownAt(log, cutAtMs), burstRules)
      found.set(cutAtMs, recounted)
      return recounted
    },
    recorded(mint, { chainBDesk: desk }) {
      const before = known.get(mint)
      if (before?.desk === desk) return before.record
      const posts = postsOf(facts.of(mint).flatMap(({ record }) => (record.type === 'Mentioned' ? [record.data] : [])))
      const story = stories.get(mint)
      const openingPx = openingPxOf(facts.of(mint).map((told) => told.record))
      const markets = story === undefined || openingPx === null ? [] : marketsOf(story, openingPx)
      const record = recordOf({ token: mint, markets, posts, ticks: facts.ticks, marketAt: openIn(markets) }, desk)
      known.set(mint, { desk, record })
      return record
    },
  }
}

const idleMs = 24 * 3_600_000

/** Of a curve and its pool the one that is open. */
const openIn = (markets: readonly Market[]) => (atMs: number) =>
  markets.findLast(({ openedAtMs }) => openedAtMs <= atMs)?.market ?? null

/** Null: it trades against another coin than SOL. */
function openingPxOf(records: readonly ChainBRecord[]): number | null {
  const opening = records.find(({ type }) => type === 'CurveLaunched')
  if (opening?.type !== 'CurveLaunched' || opening.data.quoteMint !== null) return null
  return Number(opening.data.virtualQuoteRaw) / Number(opening.data.virtualTokenRaw)
}

/** The curve until it is complete, and the pool from the migration on. Nobody can pull what is in them. */
function marketsOf(story: MintStory, openingPx: number): readonly Market[] {
  const { origin, completion, migration } = story
  const all = movesOf(story)
  const told = (isInPool: boolean) =>
    all.filter((move) => move.isInPool === isInPool).map(({ atMs, px }) => ({ atMs, px, left: 1 }))
  const opening = { atMs: origin.sinceMs, px: openingPx, left: 1 }
  const lastAtMs = all.at(-1)?.atMs ?? origin.sinceMs
  const curve: Market = {
    ...{ market: 'curve', source: 'curve', openedAtMs: origin.sinceMs, moves: [opening, ...told(false)] },
    ...{ graduatedAtMs: completion?.atMs ?? null, closedAtMs: completion === null ? lastAtMs + idleMs : null },
    bursts: burstsOf(story, burstRules).map(({ atMs, fillAt }) => ({ atMs, tier: null, shape: null, fill: fillAt })),
  }
  if (completion === null || migration === null) return [curve]
  const openedAtMs = migration.blockAtMs
  const closedAtMs = completion.atMs + followedMs
  return [
    curve,
    { market: 'pool', source: 'pool', openedAtMs, moves: told(true), graduatedAtMs: null, closedAtMs, bursts: [] },
  ]
}

type Asking = Readonly<{ cut: Cut; rules: VerdictRules; callers: Callers }>

/** The body of the answer; null: nothing was recorded. */
export function chainBVerdict(chain: ChainB, mint: string, { cut, rules, callers }: Asking) {
  const isIn = (atMs: number) => atMs > cut.blockAtMs - lookBackMs
  const { bursts, graduations } = chain.at(cut)
  const burst = bursts.find((one) => one.mint === mint && isIn(one.atMs)) ?? null
  const gradAtMs = graduations.find((one) => one.mint === mint && isIn(one.atMs))?.atMs ?? Number.POSITIVE_INFINITY
  const known = chain.facts.of(mint).filter((told) => isKnownAt(chain.facts.ticks, told, cut))
  const records = known.map(({ record }) => record)
  const safety = safetyOf(records, { isIn, gradAtMs, rules })
  const cards = records.flatMap((record) => (record.type === 'CardRead' ? [record.data] : []))
  const grade = gradeAt(cards, { blockAtMs: cut.blockAtMs, cards: rules.cards })
  const { lastTrade, shadows } = deskAt(chain.recorded(mint, rules), cut)
  const isCalled = callers.isCalled(mint)
  if (!(safety || burst || grade || lastTrade || isCalled || shadows.length > 0)) return null
  const scouts = scoutsOf({ burst, grade, win35: callers.win35Of(mint, rules.k) }, rules)
  const { composite } = scouts
  const isEntering = safety?.pass === true && composite !== null && composite >= rules.convictionMin
  return {
    ...envelopeOf('chainB', cut),
    ...{ mint, safety, scouts, scanner: grade && { mint, ...grade } },
    trader: { action: isEntering ? 'enter' : 'pass', conviction: composite },
    ...{ shadows, lastTrade, method: anyTexts },
  }
}

type Gate = Readonly<{ isIn(atMs: number): boolean; gradAtMs: number; rules: VerdictRules }>

/** The first answer to each question counts; of these the newest that says something. */
function safetyOf(records: readonly ChainBRecord[], { isIn, gradAtMs, rules }: Gate) {
  const answers = new Map<string, SafetyAnswer['data']>()
  for (const { type, data } of records)
    if (type === 'SafetyAnswered' && !answers.has(data.questionId)) answers.set(data.questionId, data)
  const said = [...answers.values()].filter(({ report, answeredAtMs }) => report !== null && isIn(answeredAtMs))
  const newest = said.sort((one, other) => other.answeredAtMs - one.answeredAtMs)[0]
  if (newest?.report == null) return null
  const { provider, answeredAtMs: checkedAt } = newest
  const { score, isRugged, mintAuthority, freezeAuthority, lpLockedShare, topHolderShare, risks } = newest.report
  const isUnlocked = lpLockedShare !== null && lpLockedShare < rules.lpLockedShare && gradAtMs <= checkedAt
  const judged = {
    rugged: isRugged === true && !rules.ignored.includes('provider: rugged'),
    'mint-authority': mintAuthority !== null && !rules.ignored.includes('mint-authority'),
    'freeze-authority': freezeAuthority !== null,
    'top-holder': topHolderShare !== null && topHolderShare >= rules.topHolderShare,
    'lp-unlocked': isUnlocked,
  }
  const fails = [
    ...Object.entries(judged).flatMap(([name, isFailing]) => (isFailing ? [name] : [])),
    ...new Set(risks.filter(({ level }) => level === 'danger').map(({ name }) => `provider: ${name}`)),
  ]
  return {
    ...{ pass: fails.length === 0, fails, provider, checkedAt, score, lpLockedShare },
    mintAuthority: mintAuthority && base58Of(mintAuthority),
    freezeAuthority: freezeAuthority && base58Of(freezeAuthority),
    topHolderShare,
  }
}

type Seen = Readonly<{ burst: FoundBurst | null; grade: ReturnType<typeof gradeAt>; win35: number | null }>

function scoutsOf({ burst, grade, win35 }: Seen, rules: VerdictRules) {
  const within = (value: number) => Math.min(1, Math.max(0, value))
  const anatomy = burst?.anatomy ?? null
  const shares = [anatomy?.holdersTop10, grade?.fields.top10Pct].filter((share) => share != null)
  const spreads = [
    ...shares.map((share) => within(1 - share / rules.top10Share)),
    ...(grade === null ? [] : [grade.score / 100]),
  ]
  const inflowSol = Number(burst?.inflowLamports ?? 0n) / 1e9
  const scores = {
    flow: anatomy && within(inflowSol / rules.inflowSol) * (1 - anatomy.bundledShare),
    curve: burst && within((burst.fillAt - burst.fillFrom) / rules.fillGain),
    holders: spreads.length === 0 ? null : Math.min(...spreads),
    callers: win35 === null ? null : within(win35 / rules.win35),
  }
  const told = Object.values(scores).filter((score) => score !== null)
  const composite = told.length === 0 ? null : told.reduce((sum, score) => sum + score, 0) / told.length
  return { ...scores, composite }
}
