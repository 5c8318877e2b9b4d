/** Where a mint of chain B is traded, from its facts: on its curve, and in its pool from the migration on. */
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

/** None against another coin than SOL. Nobody can pull what is in them, and calls keep them. */
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

/** What came late counts nowhere. */
const isFact = (record: ChainBRecord): record is ChainBFact =>
  'lateAtMs' in record.data ? record.data.lateAtMs === null : record.type === 'CurveFound'

/** The opening has a price before the first trade. */
function onCurve({ type, data }: ChainBFact, migration: ChainBFact | undefined): readonly Move[] {
  if (migration !== undefined && data.blockNumber > migration.data.blockNumber) return []
  if (type !== 'CurveLaunched' && type !== 'CurveFound' && type !== 'CurveTraded') return []
  return [{ atMs: data.blockAtMs, px: Number(data.virtualQuoteRaw) / Number(data.virtualTokenRaw), left: 1 }]
}

/** The rest of a buy that completed the curve comes before the pool opens. */
function inPool({ type, data }: ChainBFact): readonly Move[] {
  if (type !== 'CurveMigrated' && (type !== 'PoolTraded' || data.isBeforeMigration)) return []
  return [{ atMs: data.blockAtMs, px: Number(data.poolQuoteRaw) / Number(data.poolTokenRaw), left: 1 }]
}
