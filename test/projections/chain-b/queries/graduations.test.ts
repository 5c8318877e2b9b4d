import { expect } from 'chai'
import { selectGraduations } from '../../../../projections/chain-b/queries/graduations.ts'
import { chainBGraduationPosts } from '../../../../projections/chain-b/tables/chain-b-graduation-posts.ts'
import { chainBGraduations } from '../../../../projections/chain-b/tables/chain-b-graduations.ts'
import type { StageCut } from '../../../../projections/cuts.ts'
import { missingIn } from '../../../../projections/trade-gaps/missing-trades.ts'
import type { GapReading, TradeGaps } from '../../../../projections/trade-gaps/trade-gaps.ts'
import type { Graduation } from '../../../../schemas/chain-b/derived.ts'
import { minuteMs } from '../../../../schemas/units.ts'
import { noonMs } from '../../derived-log.ts'
import { buildGraduation, buildPost, mint } from '../derived-log.ts'

const cut: StageCut = {
  ...{ atMs: noonMs, blockNumber: 1, blockAtMs: noonMs, coinPrice: null, source: 'simulated' },
}
const context = { topic: 'chain-b-derived', logKey: mint(1), supersedesAtMs: null } as const

/** The columns that a query returns of a table. Without values, the left join found no row. */
const selected = (alias: string, { columns }: { columns: object }, values: readonly unknown[] | null) => ({
  ...Object.fromEntries(Object.keys(columns).map((name, index) => [`${alias}_${name}`, values?.[index] ?? null])),
  [`${alias}_known_at_ms`]: values === null ? 0 : noonMs,
  [`${alias}_published_at_ms`]: values === null ? 0 : noonMs,
})

/** Whether a graduation at noon is flagged by a gap of a single instant. */
async function isFlaggedBy(gapAtMs: number, fields: Partial<Graduation>, anchorAtMs: number | null): Promise<boolean> {
  const [instants, sums] = [
    { atMs: gapAtMs, fromAtMs: gapAtMs, toAtMs: gapAtMs, knownAtMs: noonMs },
    { trades: 1, volumeRaw: '1', state: 'late' } as const,
  ]
  const gap = { token: mint(1), chain: 'chain-b', market: '', place: '', ...instants, ...sums }
  const post = anchorAtMs === null ? null : buildPost({ anchorAtMs }).data
  const row = {
    ...selected('g', chainBGraduations, chainBGraduations.valuesOf(buildGraduation(fields).data, context)),
    ...selected('p', chainBGraduationPosts, post && chainBGraduationPosts.valuesOf(post, context)),
  }
  const withGaps: TradeGaps['withGaps'] = async (_, rows, tradedOf) =>
    rows.map((its) => {
      const traded = tradedOf(its)
      expect(traded).to.include({ token: mint(1) })
      return { ...its, gaps: traded && missingIn([gap], traded, Number) }
    })
  const reading = { database: { query: async () => [row] }, gaps: { withGaps } } as unknown as GapReading
  const [graduation] = await selectGraduations(reading, cut, { from: 0, to: noonMs })
  return graduation?.gaps !== null
}

describe('the gaps that flag a graduation', () => {
  const launchAtMs = noonMs - 45 * minuteMs
  const burst = { atMs: noonMs - 20 * minuteMs, inflowLamports: 1n, fillAt: 0.4 }
  const path = [120, 0].map((beforeSec) => ({ beforeSec, fill: 1 }))

  // A burst counts the trades of the minute (atMs - 1 min, atMs]. The path begins at its oldest point.
  const cases: readonly (readonly [says: string, fields: Partial<Graduation>, firstAtMs: number])[] = [
    ['its burst on', { launchAtMs, burst, path }, burst.atMs - minuteMs + 1],
    ['its burst on, also if its launch is unknown', { launchAtMs: null, burst, path }, burst.atMs - minuteMs + 1],
    ['its burst on, also if it has no path', { launchAtMs, burst, path: [] }, burst.atMs - minuteMs + 1],
    ['its path on, if the burst is younger', { launchAtMs, burst: { ...burst, atMs: noonMs }, path }, noonMs - 120_000],
    // A missing trade could be the burst.
    ['its launch on, if it has no burst', { launchAtMs, burst: null, path }, launchAtMs + 1],
    ['its path on, if it has no burst and no known launch', { launchAtMs: null, burst: null, path }, noonMs - 120_000],
    ['itself on, if nothing before it is known', { launchAtMs: null, burst: null, path: [] }, noonMs],
  ]
  for (const [says, fields, firstAtMs] of cases)
    it(`are those from ${says}`, async () => {
      const flags = await Promise.all(
        [firstAtMs - 1, firstAtMs, noonMs, noonMs + 1].map((atMs) => isFlaggedBy(atMs, fields, null)),
      )
      expect(flags).to.deep.equal([false, true, true, false])
    })

  it('are those until fifteen minutes after its pool opened, once that is known', async () => {
    const lastAtMs = noonMs + 2000 + 15 * minuteMs
    for (const fields of [
      { launchAtMs, burst, path },
      { launchAtMs: null, burst: null, path: [] },
    ])
      expect([
        await isFlaggedBy(lastAtMs, fields, noonMs + 2000),
        await isFlaggedBy(lastAtMs + 1, fields, noonMs + 2000),
      ]).to.deep.equal([true, false])
  })
})
