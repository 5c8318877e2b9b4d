/** The outcomes of the bursts of the last 24 hours. */
import type { DayRow } from '../../../projections/chain-b/queries/chain-b-views.ts'
import { fieldsOf } from '../../resource.ts'
import { count } from '../../values.ts'

const { now, resource } = fieldsOf<DayRow>()

export const lastDay = resource('solLast24h', {
  bursts: now(count, 'Bursts of the last 24 h.', (row) => row.bursts),
  scored: now(count, 'Of those, scored.', (row) => row.scored),
  graduated: now(count, 'Of those that are scored, completed within their window.', (row) => row.graduated),
})
