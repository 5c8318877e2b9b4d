import type { Database } from '../../../infra/clickhouse/database.ts'
import type { Graduation } from '../../../schemas/chain-b/derived.ts'
import { type EpochMs, minuteMs } from '../../../schemas/units.ts'
import { atCut } from '../../at-cut.ts'
import type { RowContext } from '../../columns.ts'
import type { StageCut } from '../../cuts.ts'
import { byKey, compareText, detailsAt, type RowAtCut, selectRowsAt, stampAt } from '../../rows-at-cut.ts'
import { notFilled, type RowOf, rowOfRecord, type Stamp } from '../../select.ts'
import { selectOne } from '../../select-one.ts'
import type { Traded } from '../../trade-gaps/missing-trades.ts'
import type { GapReading } from '../../trade-gaps/trade-gaps.ts'
import { chainBGraduationPosts } from '../tables/chain-b-graduation-posts.ts'
import { chainBGraduations } from '../tables/chain-b-graduations.ts'
import type { GraduationRow, GraduationStatsRow } from './chain-b-queries.ts'
import { solOfLamports } from './units.ts'

type Range = Readonly<{ from: number; to: number }>

const withPosts = (cut: StageCut, grad_at_ms: Range): string =>
  `FROM ${atCut(chainBGraduations, cut.atMs, { grad_at_ms })} AS g
  LEFT JOIN ${atCut(chainBGraduationPosts, cut.atMs, { grad_at_ms })} AS p
    ON p.mint = g.mint AND p.grad_at_ms = g.grad_at_ms`

/** Selects at most `limit` graduations, newest first. Graduations with equal times are ordered by mint. */
export async function selectGraduations(
  { database, gaps }: GapReading,
  cut: StageCut,
  { limit, ...range }: Range & Readonly<{ limit?: number }>,
): Promise<readonly GraduationRow[]> {
  const question = { atMs: cut.atMs, conditions: { grad_at_ms: range } }
  const [graduations, posts] = await Promise.all([
    selectRowsAt(database, chainBGraduations, question),
    selectRowsAt(database, chainBGraduationPosts, question),
  ])
  const postOf = byKey(chainBGraduationPosts, posts.rows)
  const newest = [...graduations.rows].sort(newestFirst).slice(0, limit)
  return gaps.withGaps(
    cut,
    newest.map((row) => toGraduationRow(row, postOf(row))),
    tradedOf,
  )
}

type Completed = RowAtCut<typeof chainBGraduations>

const newestFirst = (left: Completed, right: Completed): number =>
  right.gradAtMs - left.gradAtMs || compareText(left.mint, right.mint)

const windowMs = minuteMs
const postMs = 15 * minuteMs

/**
 * Returns the time span of the trades on which the graduation's row depends. The span covers the path (the
 * fill of the curve at each minute before the graduation) and the burst. As soon as the pool is open, the
 * span also covers the returns after the opening.
 */
function tradedOf(row: BareGraduation): Traded {
  const { mint, gradAtMs, path, post } = row
  const pathFromMs = gradAtMs - (path[0]?.beforeSec ?? 0) * 1000
  return {
    token: mint,
    afterMs: Math.min(pathFromMs - 1, burstAfterMs(row)),
    toMs: post === null ? gradAtMs : post.anchorAtMs + postMs,
  }
}

/**
 * Returns the time after which a missing trade could change the burst of the row or add a newer burst. Only
 * mints with a known launch time have bursts.
 */
function burstAfterMs({ burst, launchAtMs }: BareGraduation): EpochMs {
  if (burst !== null) return burst.atMs - windowMs
  return launchAtMs ?? Number.POSITIVE_INFINITY
}

/** Builds the row of a graduation as known at the completion of the curve, before the pool opens. */
export const graduationAtCompletion = (graduation: Graduation, context: RowContext, stamp: Stamp): GraduationRow => ({
  post: null,
  filled: notFilled,
  gaps: null,
  ...completionOf(rowOfRecord(chainBGraduations, graduation, context), stamp),
})

type BareGraduation = Omit<GraduationRow, 'gaps'>

const toGraduationRow = (
  { knownAtMs, publishedAtMs, ...row }: Completed,
  post: RowAtCut<typeof chainBGraduationPosts> | undefined,
): BareGraduation => ({
  post: detailsAt(chainBGraduationPosts, post),
  filled: { seconds: null, outcome: stampAt(post) },
  ...completionOf(row, { knownAtMs, publishedAtMs }),
})

function completionOf(row: RowOf<typeof chainBGraduations>, stamp: Stamp): Omit<BareGraduation, 'post' | 'filled'> {
  const { burstAtMs, burstInflowLamports, burstFillAt, ...graduation } = row
  const { launchAtMs, gradAtMs } = graduation
  const hasBurst = burstAtMs !== null && burstInflowLamports !== null && burstFillAt !== null
  return {
    gradMin: launchAtMs === null ? null : (gradAtMs - launchAtMs) / minuteMs,
    burst: hasBurst ? { atMs: burstAtMs, inflowSol: solOfLamports(burstInflowLamports), fillAt: burstFillAt } : null,
    ...graduation,
    ...stamp,
  }
}

type Counted = 'n' | 'afterBurst' | 'known15' | 'up15'
type SelectedStats = Readonly<Record<Counted, string>> & Omit<GraduationStatsRow, Counted>

export async function selectGraduationStats(
  database: Database,
  cut: StageCut,
  range: Range,
): Promise<GraduationStatsRow> {
  // Returns SQL for the median of all values that are not null. The median is null if all values are null.
  const median = (value: string) => `quantileExactInclusive(0.5)(${value})`
  const row = await selectOne<SelectedStats>(
    database,
    `SELECT count() AS n, ${median('(g.grad_at_ms - g.launch_at_ms) / 60000')} AS medianGradMin,
      countIf(g.burst_at_ms IS NOT NULL) AS afterBurst,
      ${median('p.ret_1')} AS medianRet1, ${median('p.ret_5')} AS medianRet5, ${median('p.ret_15')} AS medianRet15,
      countIf(p.ret_15 IS NOT NULL) AS known15, countIf(p.ret_15 > 0) AS up15
    ${withPosts(cut, range)}`,
  )
  return {
    n: Number(row.n),
    medianGradMin: row.medianGradMin,
    afterBurst: Number(row.afterBurst),
    medianRet1: row.medianRet1,
    medianRet5: row.medianRet5,
    medianRet15: row.medianRet15,
    known15: Number(row.known15),
    up15: Number(row.up15),
  }
}
