/** The grade of a mint in its verdict, without what the scanner route says of how it came about. */
import { z } from 'zod'
import type { VerdictRow } from '../../../projections/chain-b/queries/chain-b-views.ts'
import { grades } from '../../../schemas/calls/derived.ts'
import { cardReadings } from '../../../schemas/calls/facts.ts'
import { fieldsOf } from '../../resource.ts'
import { epochMs } from '../../values.ts'

type Row = NonNullable<VerdictRow['grade']>

const { now, resource } = fieldsOf<Row>()

const readings = z.strictObject(
  Object.fromEntries(cardReadings.map(({ name }) => [name, z.number().min(0).nullable()])) as Record<
    (typeof cardReadings)[number]['name'],
    z.ZodNullable<z.ZodNumber>
  >,
)

export const verdictScanner = resource('solVerdictScanner', {
  grade: now(z.enum(grades), 'A to F.', (row) => row.grade),
  score: now(z.number().min(0).max(100), '100 minus all penalties.', (row) => row.score),
  fields: now(
    readings,
    'The most cautious reading across bots, shares 0-1; null is what no card says.',
    (row) => Object.fromEntries(cardReadings.map(({ name }) => [name, row[name]])) as z.output<typeof readings>,
  ),
  lastCardAt: now(epochMs, 'Time of the newest card, epoch ms.', (row) => row.lastCardAtMs),
})
