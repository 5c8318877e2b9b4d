import { z } from 'zod'
import { ruleIdOf, ruleScopeOf } from '../../../infra/public-ids.ts'
import type { OutcomeRow } from '../../../projections/chain-b/queries/chain-b-queries.ts'
import { type ExitReason, exitReasons } from '../../../schemas/chain-b/derived.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { minutesBetween } from '../../durations.ts'
import { fieldsOf, type Presented } from '../../resource.ts'
import { epochMs } from '../../values.ts'
import type { Presentation } from '../dependencies.ts'

/** The names of exit reasons in answers. They have `-` where the Avro names have `_`. */
const exitReasonNames = Object.fromEntries(
  exitReasons.map((reason) => [reason, reason.replaceAll('_', '-')]),
) as Readonly<Record<ExitReason, string>>

const ruleExit = z.strictObject({
  ret: z.number(),
  why: z.enum(Object.values(exitReasonNames) as [string, ...string[]]),
  sec: z.int().min(0).nullable(),
})

/** The outcome of a burst. `atMs`: the time of the burst's signal. */
type ScoredRow = OutcomeRow & Readonly<{ atMs: EpochMs }>

const { outcome, resource } = fieldsOf<ScoredRow, Presentation>()

const scored = resource('solScoredOutcome', {
  scored: outcome(z.literal(true), 'The curve is complete, or 20 minutes have passed.', () => true as const),
  scoredAt: outcome(epochMs.nullable(), 'When the outcome was written, epoch ms.', (row) => row.scoredAtMs),
  graduated: outcome(z.boolean(), 'The curve was completed within the window.', (row) => row.completedAtMs !== null),
  gradMin: outcome(
    z.number().min(0).nullable(),
    'Minutes from the signal to the graduation; null if it did not graduate.',
    ({ atMs, completedAtMs }) => (completedAtMs === null ? null : minutesBetween(atMs, completedAtMs)),
  ),
  peakRet: outcome(
    z.number(),
    'Best curve price in the window against the signal price; not attainable.',
    (row) => row.peakRet,
  ),
  gradRet: outcome(
    z.number().nullable(),
    'Return at the graduation, costs off; null if it did not graduate.',
    (row) => row.gradRet,
  ),
  ret20m: outcome(
    z.number().nullable(),
    'Return at the end of the 20 minutes, costs off; null if it graduated before.',
    (row) => row.ret20m,
  ),
  ruleRet: outcome(z.number(), 'Return under the live exit rule.', (row) => row.ruleRet),
  nonStandardCurve: outcome(
    z.boolean(),
    'The reserves were outside those of a standard curve; prices are less reliable.',
    (row) => row.isNonStandardCurve,
  ),
  byRule: outcome(
    z.record(z.string(), ruleExit),
    'Return, reason and second of exit by opaque rule id; `hold` is the baseline.',
    ({ exits }, { ruleIdSecret }) =>
      Object.fromEntries(
        exits.map(({ rule, ret, why, sec }) => [
          ruleIdOf(rule, ruleIdSecret, ruleScopeOf(chainBStage.name)),
          { ret, why: exitReasonNames[why], sec },
        ]),
      ),
  ),
})

const unscored = z.strictObject({ scored: z.literal(false) })

export const solOutcome = {
  schema: z.discriminatedUnion('scored', [unscored, scored.schema]).meta({ id: 'solOutcome' }),
  present: (row: ScoredRow | null, presentation: Presentation): z.output<typeof unscored> | Presented<typeof scored> =>
    row === null ? { scored: false } : scored.present(row, presentation),
}
