/** The outcomes of the bursts of the last 24 hours, and how well the liquidity check predicted them. */
import { z } from 'zod'
import type { DayRow } from '../../../projections/chain-a/queries/chain-a-views.ts'
import { fieldsOf } from '../../resource.ts'
import { count, share } from '../../values.ts'

/** Null if `whole` is 0, because a share of 0 would look like a result. */
const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)

const { now, resource } = fieldsOf<DayRow>()

const rugCheckOfDay = resource('rhDayRugCheck', {
  checked: now(count, 'Bursts with a liquidity class.', (row) => row.checked),
  held: now(count, 'Of those, class held.', (row) => row.held),
  heldPct: now(share.nullable(), 'held / checked, 0-1; null without any.', (row) => shareOf(row.held, row.checked)),
  heldScored: now(count, 'Held and scored.', (row) => row.heldScored),
  heldPulled: now(count, 'Held, scored and pulled within the window.', (row) => row.heldPulled),
  heldPulledPct: now(share.nullable(), 'heldPulled / heldScored, 0-1; null without any.', (row) =>
    shareOf(row.heldPulled, row.heldScored),
  ),
  safe: now(count, 'Class safe.', (row) => row.safe),
  safeScored: now(count, 'Safe and scored.', (row) => row.safeScored),
  safePulled: now(count, 'Safe and scored, but pulled.', (row) => row.safePulled),
})

export const lastDay = resource('rhLast24h', {
  bursts: now(count, 'Bursts of the last 24 h.', (row) => row.bursts),
  scored: now(count, 'Of those, scored.', (row) => row.scored),
  medianRet30m: now(
    z.number().nullable(),
    'Median of ret30m; null while nothing is scored.',
    (row) => row.medianRet30m,
  ),
  medianRuleRet: now(z.number().nullable(), 'Median of ruleRet.', (row) => row.medianRuleRet),
  rugCheck: now(rugCheckOfDay.schema, 'How well the liquidity check predicted the outcomes.', (row) =>
    rugCheckOfDay.present(row),
  ),
})
