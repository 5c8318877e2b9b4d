/** How the readings of scanner cards become a grade. Answers show this table, so that anybody can compute a grade again. */
import type { Grade } from './derived.ts'
import type { CardReadings } from './facts.ts'

export type GradedField = keyof CardReadings

type GradeTable = Readonly<{
  /** The day from which the table holds. */
  since: string
  /** Best first. The first grade whose `minScore` the score reaches; F has none to reach. */
  bands: readonly Readonly<{ grade: Grade; minScore: number }>[]
  /**
   * A rule costs its points where the field is at or above its limit; `holders` where it is below. Of the rules of one field
   * only the hardest that fits counts, and a field that no card tells costs nothing.
   */
  rules: readonly Readonly<{ field: GradedField; limit: number; points: number }>[]
}>

export const gradeTable: GradeTable = {
  since: '2026-11-22',
  bands: [
    { grade: 'A', minScore: 85 },
    { grade: 'B', minScore: 70 },
    { grade: 'C', minScore: 55 },
    { grade: 'D', minScore: 40 },
    { grade: 'F', minScore: 0 },
  ],
  rules: [
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
  ],
}

/** A card counts for this long after it was posted or last edited. */
export const cardMs = 48 * 3_600_000
