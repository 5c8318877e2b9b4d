import type { Database } from '../../../infra/clickhouse/database.ts'
import type { Graduation } from '../../../schemas/chain-b/derived.ts'
import { type EpochMs, hourMs, minuteMs } from '../../../schemas/units.ts'
import type { RowContext } from '../../columns.ts'
import type { StageCut } from '../../cuts.ts'
import { keepRows } from '../../kept-rows.ts'
import { medianOrNull } from '../../median.ts'
import { createRecentRows, type JoinedRow, type RecentRows } from '../../recent-rows.ts'
import { compareText, detailsAt, type RowAtCut, stampAt } from '../../rows-at-cut.ts'
import { notFilled, type RowOf, rowOfRecord, type Stamp } from '../../select.ts'
import type { MissingTrades, Traded } from '../../trade-gaps/missing-trades.ts'
import type { GapReading } from '../../trade-gaps/trade-gaps.ts'
import { chainBGraduationPosts } from '../tables/chain-b-graduation-posts.ts'
import { chainBGraduations } from '../tables/chain-b-graduations.ts'
import type { GraduationRow, GraduationStatsRow } from './chain-b-queries.ts'
import { solOfLamports } from './units.ts'

const tables = { graduation: chainBGraduations, post: chainBGraduationPosts }
const first = 'graduation'

/** A graduation with the returns after it, which became known later. */
type JoinedGraduation = JoinedRow<typeof tables, typeof first>

type RecentGraduations = RecentRows<typeof tables, typeof first>

/** The API answers about 48 hours at most. The block time can fall a little in a reorg. */
const keptMs = 49 * hourMs

export const createRecentGraduations = (database: Database): RecentGraduations =>
  createRecentRows({ database, tables, first, time: 'grad_at_ms', keptMs })

type GraduationReading = Pick<GapReading, 'gaps'> & Readonly<{ recentGraduations: RecentGraduations }>

type Range = Readonly<{ from: number; to: number }>

/** Selects graduations, newest first. Graduations with equal times are ordered by mint. */
export async function selectGraduations(
  reading: GraduationReading,
  cut: StageCut,
  range: Range,
): Promise<readonly GraduationRow[]> {
  return completeGraduations(reading, cut, { found: await reading.recentGraduations(cut, range) })
}

/** Selects the newest `limit` graduations, and computes the statistics of all graduations in the range. */
export async function selectGraduationsWithStats(
  reading: GraduationReading,
  cut: StageCut,
  { limit, ...range }: Range & Readonly<{ limit: number }>,
): Promise<Readonly<{ graduations: readonly GraduationRow[]; stats: GraduationStatsRow }>> {
  const found = await reading.recentGraduations(cut, range)
  return { graduations: await completeGraduations(reading, cut, { found, limit }), stats: statsOf(found) }
}

async function completeGraduations(
  { gaps }: GraduationReading,
  cut: StageCut,
  { found, limit }: Readonly<{ found: readonly JoinedGraduation[]; limit?: number }>,
): Promise<readonly GraduationRow[]> {
  const shown = [...found].sort((left, right) => newestFirst(left.graduation, right.graduation)).slice(0, limit)
  const missing = await gaps.missingTrades(cut, shown.map(tradedOf))
  return shown.map((joined, index) => toGraduationRow(joined, missing[index] ?? null))
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
function tradedOf({ graduation, post }: JoinedGraduation): Traded {
  const { mint, gradAtMs, path } = graduation
  const pathFromMs = gradAtMs - (path[0]?.beforeSec ?? 0) * 1000
  return {
    token: mint,
    afterMs: Math.min(pathFromMs - 1, burstAfterMs(graduation)),
    toMs: post === undefined ? gradAtMs : post.anchorAtMs + postMs,
  }
}

/**
 * Returns the time after which a missing trade could change the burst of the row or add a newer burst. Only
 * mints with a known launch time have bursts.
 */
function burstAfterMs(row: RowOf<typeof chainBGraduations>): EpochMs {
  const burst = burstOf(row)
  if (burst !== null) return burst.atMs - windowMs
  return row.launchAtMs ?? Number.POSITIVE_INFINITY
}

/** Builds the row of a graduation as known at the completion of the curve, before the pool opens. */
export const graduationAtCompletion = (graduation: Graduation, context: RowContext, stamp: Stamp): GraduationRow => ({
  post: null,
  filled: notFilled,
  gaps: null,
  ...completionOf(rowOfRecord(chainBGraduations, graduation, context), stamp),
})

const toGraduationRow = keepRows(
  (
    { graduation: { knownAtMs, publishedAtMs, ...row }, post }: JoinedGraduation,
    gaps: MissingTrades | null,
  ): GraduationRow => ({
    ...completionOf(row, { knownAtMs, publishedAtMs }),
    post: detailsAt(chainBGraduationPosts, post),
    filled: { seconds: null, outcome: stampAt(post) },
    gaps,
  }),
)

function completionOf(
  row: RowOf<typeof chainBGraduations>,
  stamp: Stamp,
): Omit<GraduationRow, 'post' | 'filled' | 'gaps'> {
  const { burstAtMs: _, burstInflowLamports: __, burstFillAt: ___, ...graduation } = row
  const { launchAtMs, gradAtMs } = graduation
  return {
    gradMin: launchAtMs === null ? null : (gradAtMs - launchAtMs) / minuteMs,
    burst: burstOf(row),
    ...graduation,
    ...stamp,
  }
}

function burstOf({
  burstAtMs,
  burstInflowLamports,
  burstFillAt,
}: RowOf<typeof chainBGraduations>): GraduationRow['burst'] {
  if (burstAtMs === null || burstInflowLamports === null || burstFillAt === null) return null
  return { atMs: burstAtMs, inflowSol: solOfLamports(burstInflowLamports), fillAt: burstFillAt }
}

function statsOf(found: readonly JoinedGraduation[]): GraduationStatsRow {
  const posts = found.flatMap(({ post }) => post ?? [])
  const known = (values: readonly (number | null)[]): readonly number[] => values.filter((value) => value !== null)
  const ret15s = known(posts.map(({ ret15 }) => ret15))
  const minutes = found.map(({ graduation: { gradAtMs, launchAtMs } }) =>
    launchAtMs === null ? null : (gradAtMs - launchAtMs) / minuteMs,
  )
  return {
    n: found.length,
    medianGradMin: medianOrNull(known(minutes)),
    afterBurst: found.filter(({ graduation }) => graduation.burstAtMs !== null).length,
    medianRet1: medianOrNull(known(posts.map(({ ret1 }) => ret1))),
    medianRet5: medianOrNull(known(posts.map(({ ret5 }) => ret5))),
    medianRet15: medianOrNull(ret15s),
    known15: ret15s.length,
    up15: ret15s.filter((ret15) => ret15 > 0).length,
  }
}
