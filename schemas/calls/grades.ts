/**
 * How the values on scanner cards become a grade. API answers show this table, so clients can compute a grade
 * themselves.
 */

import { z } from 'zod'
import { defaultsOf, duration, part, realWithin, refuseBy, type ValuesOf, wholeWithin } from '../rule-values.ts'
import { hourMs } from '../units.ts'
import { grades } from './derived.ts'
import type { CardReadings } from './facts.ts'

export type GradedField = keyof CardReadings

export const gradedFields = [
  'top10Pct',
  'topHolder1Pct',
  'snipers',
  'sniperPct',
  'bundlers',
  'bundlePct',
  'devLeftPct',
  'fresh1d',
  'fresh7d',
  'holders',
] as const satisfies readonly GradedField[]

const band = z.strictObject({
  grade: z.enum(grades),
  minScore: wholeWithin([0, 100], 'the lowest score of the grade'),
})

const penalty = z.strictObject({
  field: z.enum(gradedFields),
  limit: realWithin([0, 1e9], 'where the reading is at or above it; of holders, below it'),
  points: wholeWithin([0, 100], 'what it costs'),
})

/**
 * Refuses score bands if `minScore` does not decrease from band to band, or if the last `minScore` is not 0.
 * So every score has a grade.
 */
const refuseBands = (bands: readonly Readonly<{ minScore: number }>[]): string | null =>
  bands.every(({ minScore }, index) => index === 0 || minScore < (bands[index - 1]?.minScore ?? 0)) &&
  bands.at(-1)?.minScore === 0
    ? null
    : 'minScore must fall from grade to grade, and must be 0 for the last grade'

const table = part({
  cardMs: duration(
    48 * hourMs,
    [hourMs, 30 * 24 * hourMs],
    'a card counts this long after it was posted or last edited',
  ),
  bands: z
    .array(band)
    .min(1)
    .max(5)
    .describe('best first; the first grade whose minScore the score reaches')
    .default([
      { grade: 'A', minScore: 85 },
      { grade: 'B', minScore: 70 },
      { grade: 'C', minScore: 55 },
      { grade: 'D', minScore: 40 },
      { grade: 'F', minScore: 0 },
    ]),
  rules: z
    .array(penalty)
    .max(100)
    .describe('of the rules of one field only the hardest that fits counts; a field that is on no card costs nothing')
    .default([
      { field: 'top10Pct', limit: 0.2, points: 5 },
      { field: 'top10Pct', limit: 0.3, points: 15 },
      { field: 'top10Pct', limit: 0.5, points: 25 },
      { field: 'topHolder1Pct', limit: 0.05, points: 5 },
      { field: 'topHolder1Pct', limit: 0.1, points: 12 },
      { field: 'topHolder1Pct', limit: 0.2, points: 20 },
      { field: 'snipers', limit: 10, points: 3 },
      { field: 'snipers', limit: 25, points: 6 },
      { field: 'sniperPct', limit: 0.05, points: 5 },
      { field: 'sniperPct', limit: 0.15, points: 12 },
      { field: 'sniperPct', limit: 0.3, points: 20 },
      { field: 'bundlers', limit: 10, points: 3 },
      { field: 'bundlers', limit: 25, points: 6 },
      { field: 'bundlePct', limit: 0.1, points: 6 },
      { field: 'bundlePct', limit: 0.25, points: 15 },
      { field: 'bundlePct', limit: 0.5, points: 25 },
      { field: 'devLeftPct', limit: 0.03, points: 4 },
      { field: 'devLeftPct', limit: 0.1, points: 12 },
      { field: 'devLeftPct', limit: 0.2, points: 20 },
      { field: 'fresh1d', limit: 0.2, points: 5 },
      { field: 'fresh1d', limit: 0.4, points: 10 },
      { field: 'fresh7d', limit: 0.4, points: 4 },
      { field: 'fresh7d', limit: 0.6, points: 8 },
      { field: 'holders', limit: 200, points: 4 },
      { field: 'holders', limit: 50, points: 10 },
    ]),
})

export const gradesSchema = table.superRefine(
  refuseBy([{ at: ['bands'], refuses: ({ bands }: ValuesOf<typeof table>) => refuseBands(bands) }]),
)

export type GradeRules = ValuesOf<typeof gradesSchema>

/** The first day on which this table is used. */
const since = '2026-11-22'

export const gradeTable = { since, ...defaultsOf(gradesSchema) } as const
