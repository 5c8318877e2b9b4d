/** Statistics of the graduations in a range of hours. */
import { z } from 'zod'
import type { GraduationStatsRow } from '../../../projections/chain-b/queries/chain-b-views.ts'
import { fieldsOf } from '../../resource.ts'
import { count, share } from '../../values.ts'

/** Null if `whole` is 0, because a share of 0 would look like a result. */
const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)

const { now, resource } = fieldsOf<GraduationStatsRow>()

export const gradStats = resource('solGradStats', {
  n: now(count, 'Graduations in these hours, including those beyond `limit`.', (row) => row.n),
  medianGradMin: now(z.number().nullable(), 'Median of gradMin where it is known.', (row) => row.medianGradMin),
  afterBurst: now(count, 'Graduations after a burst of the mint.', (row) => row.afterBurst),
  afterBurstShare: now(share.nullable(), 'afterBurst / n; null without any.', (row) => shareOf(row.afterBurst, row.n)),
  medianRet1: now(z.number().nullable(), 'Median of ret1 where it is known.', (row) => row.medianRet1),
  medianRet5: now(z.number().nullable(), 'Median of ret5 where it is known.', (row) => row.medianRet5),
  medianRet15: now(z.number().nullable(), 'Median of ret15 where it is known.', (row) => row.medianRet15),
  upShare15: now(share.nullable(), 'Share of the known ret15 that are above 0; null without any.', (row) =>
    shareOf(row.up15, row.known15),
  ),
})
