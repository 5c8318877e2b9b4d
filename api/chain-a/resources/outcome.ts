import { z } from 'zod'
import { ruleIdOf } from '../../../infra/public-ids.ts'
import type { OutcomeRow } from '../../../projections/chain-a/queries/chain-a-queries.ts'
import { type ExitReason, exitReasons } from '../../../schemas/chain-a/derived.ts'
import { fieldsOf, type Presented } from '../../resource.ts'
import { epochMs, share } from '../../values.ts'
import type { Presentation } from '../dependencies.ts'

/**
 * The names of exit reasons in answers. The Avro names have `_` instead of `-`, and `held_rug` instead of
 * `held+rug`.
 */
const exitReasonNames = Object.fromEntries(
  exitReasons.map((reason) => [reason, reason === 'held_rug' ? 'held+rug' : reason.replaceAll('_', '-')]),
) as Readonly<Record<ExitReason, string>>

const ruleExit = z.strictObject({
  ret: z.number(),
  why: z.enum(Object.values(exitReasonNames) as [string, ...string[]]),
  sec: z.int().min(0).nullable(),
})

const { outcome, resource } = fieldsOf<OutcomeRow, Presentation>()

const scored = resource('rhScoredOutcome', {
  scored: outcome(z.literal(true), 'The scoring window has closed.', () => true as const),
  scoredAt: outcome(epochMs.nullable(), 'When the outcome was written, epoch ms.', (row) => row.scoredAtMs),
  ret30m: outcome(z.number(), 'Return from the signal price to 30 minutes, costs off.', (row) => row.ret30m),
  peakRet: outcome(
    z.number(),
    'Best price in the window against the signal price; not attainable.',
    (row) => row.peakRet,
  ),
  ruleRet: outcome(z.number(), 'Return under the live exit rule.', (row) => row.ruleRet),
  byRule: outcome(
    z.record(z.string(), ruleExit),
    'Return, reason and second of exit by opaque rule id; `hold` is the baseline.',
    ({ exits }, { ruleIdSecret }) =>
      Object.fromEntries(
        exits.map(({ rule, ret, why, sec }) => [ruleIdOf(rule, ruleIdSecret), { ret, why: exitReasonNames[why], sec }]),
      ),
  ),
  rug: outcome(
    z.strictObject({ atSec: z.int().min(0), lpRemoved: share }).nullable(),
    'At least 80 % of the liquidity was removed within the window.',
    (row) => row.rug,
  ),
})

const unscored = z.strictObject({ scored: z.literal(false) })

export const rhOutcome = {
  schema: z.discriminatedUnion('scored', [unscored, scored.schema]).meta({ id: 'rhOutcome' }),
  present: (
    row: OutcomeRow | null,
    presentation: Presentation,
  ): z.output<typeof unscored> | Presented<typeof scored> =>
    row === null ? { scored: false } : scored.present(row, presentation),
}
