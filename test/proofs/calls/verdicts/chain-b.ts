/** The expected verdict about a mint of chain B, from its facts. */
import type { ChainBRecord } from '../../../../schemas/chain-b/facts.ts'
import { anyTexts } from '../../../support/oracle/chain-b/answers.ts'
import { type FoundBurst, type Recount, recount } from '../../../support/oracle/chain-b/recount.ts'
import { rules as burstRules } from '../../../support/oracle/chain-b/rules.ts'
import { type FactLog, knownAt } from '../../../support/oracle/chain-b/stories.ts'
import type { Callers } from './callers.ts'
import { deskAt, type Market, postsOf, type Recorded, recordOf } from './desk.ts'
import { type Cut, envelopeOf, type Facts, isKnownAt } from './facts.ts'
import { gradeAt } from './grade.ts'
import { marketsOf } from './mint.ts'
import { lookBackMs, type VerdictRules } from './rules.ts'
import { safetyOf } from './safety.ts'

export type ChainB = Readonly<{
  facts: Facts<ChainBRecord>
  /** The bursts and graduations that are known at a cut. */
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
      const posts = postsOf(facts.of(mint))
      const story = stories.get(mint)
      const records = facts.of(mint).map(({ record }) => record)
      const markets = story === undefined ? [] : marketsOf(story, records)
      const record = recordOf({ token: mint, markets, posts, ticks: facts.ticks, marketAt: openIn(markets) }, desk)
      known.set(mint, { desk, record })
      return record
    },
  }
}

/** Returns the market that is open at an instant: the curve or its pool. */
const openIn = (markets: readonly Market[]) => (atMs: number) =>
  markets.findLast(({ openedAtMs }) => openedAtMs <= atMs)?.market ?? null

type Asking = Readonly<{ cut: Cut; rules: VerdictRules; callers: Callers }>

/** The body of the answer. Null: the mint has no records. */
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
  if (!(safety.pass !== null || burst || grade || lastTrade || isCalled || shadows.length > 0)) return null
  const scouts = scoutsOf({ burst, grade, win35: callers.win35Of(mint, rules.k) }, rules)
  const { composite } = scouts
  const isEntering = safety.pass === true && composite !== null && composite >= rules.convictionMin
  return {
    ...envelopeOf('chainB', cut),
    ...{ mint, safety, scouts, scanner: grade && { mint, ...grade } },
    trader: { action: isEntering ? 'enter' : 'pass', conviction: composite },
    ...{ shadows, lastTrade, method: anyTexts },
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
