/** The fields of answers that are rebuilt every hour. */
import type { StageCut } from '../../../projections/cuts.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { fieldsOf } from '../../resource.ts'
import { count, epochMs } from '../../values.ts'
import type { Presentation } from '../dependencies.ts'
import { bareEnvelope } from './envelope.ts'

type Rebuilt = StageCut & Readonly<{ rebuiltAtMs: EpochMs }>

const { now, resource } = fieldsOf<Rebuilt, Presentation>()

export const hourlyEnvelope = resource('chainBHourlyEnvelope', {
  ...bareEnvelope.fields,
  ageSec: now(count, 'Seconds from rebuiltAt to the cut.', ({ atMs, rebuiltAtMs }) =>
    Math.floor((atMs - rebuiltAtMs) / 1000),
  ),
  rebuiltAt: now(
    epochMs,
    'The whole hour up to which the answer is complete (before the first hour, the whole minute). The answer is built once everything up to then is known, and again if more becomes known.',
    (row) => row.rebuiltAtMs,
  ),
})
