/**
 * Builds the trade histories of a chain B mint for the desk (simulated trading), from the mint's facts and
 * bursts. There is one history for the curve and one for the pool.
 */
import type { Mentioned } from '../../../../schemas/calls/facts.ts'
import type { Burst } from '../../../../schemas/chain-b/derived.ts'
import type { ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import type { Desk } from '../../../../schemas/desk/rules.ts'
import { linesOfChainB } from '../calls/chain-b.ts'
import { closedAtMs, type Line } from '../calls/lines.ts'
import { callRules } from '../calls/rules.ts'
import { keptMarkets } from '../calls/watch.ts'
import { fillOf } from '../chain-b/bursts.ts'
import type { Learned, Numbers, Story, Told } from './desk.ts'

type Known = Readonly<{
  token: string
  facts: readonly ChainBFact[]
  bursts: readonly Burst[]
  mentions: readonly Mentioned[]
  posts: Story['posts']
  /** Returns when the service knew the block with time `atMs`, and the newest block time then. */
  learnedOf: (atMs: number) => Learned
  endMs: number
  desk: Desk
  numbers: Numbers
  /** The time from the last fact of a curve until the curve is forgotten. */
  curveLifeMs: number
}>

/**
 * Builds the histories. The oracle of calls assumes that a quiet curve is kept for 24 hours. If `curveLifeMs`
 * differs, no call may keep the mint.
 */
export function storiesOf(known: Known): readonly Story[] {
  const { facts, mentions, bursts, learnedOf, curveLifeMs } = known
  const kept = keptMarkets({
    ...{ lines: linesOfChainB(facts), rules: callRules },
    posts: mentions.map((mention) => ({ mention, knownIn: 0 })),
  })
  const migration = facts.find(({ type }) => type === 'CurveMigrated')
  const completion = facts.find(completes)
  const isIdleAtMs = completion === undefined ? (facts.at(-1)?.data.blockAtMs ?? 0) + curveLifeMs : null
  const closingOf = ({ market }: Line): number | null =>
    isIdleAtMs !== null && curveLifeMs !== 24 * 3_600_000 ? isIdleAtMs : closedAtMs(kept, market)
  const { token, desk, numbers, posts, endMs } = known
  const base = { token, desk, numbers, posts, endMs }
  const migratedAtMs = migration?.data.blockAtMs ?? Number.POSITIVE_INFINITY
  return kept.lines.map((line): Story => {
    const { source, openedAtMs } = line
    if (source === 'pool')
      return {
        ...{ ...base, source, openedAtMs, moves: facts.flatMap(inPool), bursts: [], graduatedAtMs: null },
        ...{ closedAtMs: closingOf(line), isFilledHere: (atMs) => atMs >= migratedAtMs },
      }
    return {
      ...{ ...base, source, openedAtMs, moves: facts.flatMap(onCurve) },
      ...{
        graduatedAtMs: completion?.data.blockAtMs ?? null,
        closedAtMs: migration?.data.blockAtMs ?? closingOf(line),
      },
      fillAt: (atMs) => fillAt(facts, atMs),
      isFilledHere: (atMs) => atMs < migratedAtMs,
      bursts: bursts.map(({ atMs, fillAt: fill }) => ({
        atMs,
        tier: null,
        shape: null,
        fill,
        learned: learnedOf(atMs),
      })),
    }
  })
}

const completes = ({ type, data }: ChainBFact): boolean =>
  type === 'CurveCompleted' || type === 'CurveMigrated' || (type === 'CurveTraded' && data.realTokenRaw === 0n)

/** Returns the price after a fact. The opening of the curve also gives a price, before the first trade. */
function onCurve({ type, data }: ChainBFact): readonly Told[] {
  if (type !== 'CurveLaunched' && type !== 'CurveFound' && type !== 'CurveTraded') return []
  return [{ atMs: data.blockAtMs, px: Number(data.virtualQuoteRaw) / Number(data.virtualTokenRaw), left: 1 }]
}

function inPool({ type, data }: ChainBFact): readonly Told[] {
  if (type !== 'CurveMigrated' && type !== 'PoolTraded') return []
  return [{ atMs: data.blockAtMs, px: Number(data.poolQuoteRaw) / Number(data.poolTokenRaw), left: 1 }]
}

function fillAt(facts: readonly ChainBFact[], atMs: number): number {
  const left = facts.flatMap(({ type, data }) =>
    'realTokenRaw' in data && type !== 'GapFound' && data.blockAtMs <= atMs ? [data.realTokenRaw] : [],
  )
  return fillOf(left.at(-1) ?? 0n)
}
