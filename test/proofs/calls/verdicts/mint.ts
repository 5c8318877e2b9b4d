/** The markets of a mint of chain B from its facts: its curve, and from the migration on its pool. */
import type { ChainBFact, ChainBRecord } from '../../../../schemas/chain-b/facts.ts'
import { linesOfChainB } from '../../../support/oracle/calls/chain-b.ts'
import { closedAtMs } from '../../../support/oracle/calls/lines.ts'
import { callRules } from '../../../support/oracle/calls/rules.ts'
import { keptMarkets } from '../../../support/oracle/calls/watch.ts'
import { burstsOf } from '../../../support/oracle/chain-b/bursts.ts'
import { rules as burstRules } from '../../../support/oracle/chain-b/rules.ts'
import type { MintStory } from '../../../support/oracle/chain-b/stories.ts'
import type { Told as Move } from '../../../support/oracle/desk/desk.ts'
import type { Market } from './desk.ts'

/**
 * Returns the markets of a mint. A mint that does not trade against SOL has no markets. Nobody can remove the
 * liquidity, and calls keep the markets open.
 */
export function marketsOf(story: MintStory, records: readonly ChainBRecord[]): readonly Market[] {
  const facts = records.filter(isFact)
  const posts = records.flatMap(({ type, data }) => (type === 'Mentioned' ? [{ mention: data, knownIn: 0 }] : []))
  const kept = keptMarkets({ lines: linesOfChainB(facts), posts, rules: callRules })
  const migration = facts.find(({ type }) => type === 'CurveMigrated')
  const bursts = burstsOf(story, burstRules)
  return kept.lines.map(({ market, source }): Market => {
    const isCurve = source === 'curve'
    return {
      ...{ market, source, closedAtMs: closedAtMs(kept, market) },
      moves: facts.flatMap((fact) => (isCurve ? onCurve(fact, migration) : inPool(fact))),
      openedAtMs: isCurve ? story.opening.data.blockAtMs : (migration?.data.blockAtMs ?? 0),
      graduatedAtMs: isCurve ? (story.completion?.atMs ?? null) : null,
      goesOnAtMs: isCurve ? (migration?.data.blockAtMs ?? null) : null,
      bursts: isCurve ? bursts.map(({ atMs, fillAt }) => ({ atMs, tier: null, shape: null, fill: fillAt })) : [],
    }
  })
}

/** Late facts do not count. */
const isFact = (record: ChainBRecord): record is ChainBFact =>
  'lateAtMs' in record.data ? record.data.lateAtMs === null : record.type === 'CurveFound'

/** The launch of the curve also gives a price, before the first trade. */
function onCurve({ type, data }: ChainBFact, migration: ChainBFact | undefined): readonly Move[] {
  if (migration !== undefined && data.blockNumber > migration.data.blockNumber) return []
  if (type !== 'CurveLaunched' && type !== 'CurveFound' && type !== 'CurveTraded') return []
  return [{ atMs: data.blockAtMs, px: Number(data.virtualQuoteRaw) / Number(data.virtualTokenRaw), left: 1 }]
}

/**
 * A buy that completes the curve has a last part in the pool. This part comes before the pool opens, so it
 * does not count.
 */
function inPool({ type, data }: ChainBFact): readonly Move[] {
  if (type !== 'CurveMigrated' && (type !== 'PoolTraded' || data.isBeforeMigration)) return []
  return [{ atMs: data.blockAtMs, px: Number(data.poolQuoteRaw) / Number(data.poolTokenRaw), left: 1 }]
}
