import assert from 'node:assert/strict'
import type { Grade, ScannerGrade } from '../../../schemas/calls/derived.ts'
import type { CardReadings } from '../../../schemas/calls/facts.ts'
import { type GradedField, type GradeRules, gradedFields } from '../../../schemas/calls/grades.ts'

const counts: ReadonlySet<GradedField> = new Set(['snipers', 'bundlers', 'holders'])

/**
 * Returns true if a lower value of this field is worse. This holds only for `holders`. In every other field a
 * higher value is worse.
 */
const isWorseBelow = (field: GradedField): boolean => field === 'holders'

/**
 * Returns true if the card (a bot's summary of a token) has no value in any graded field. An example is a
 * placeholder that the bot later replaces.
 */
export const isSilent = (readings: CardReadings): boolean => gradedFields.every((field) => readings[field] === null)

/**
 * Returns for each field the worst value on these cards: the lowest for `holders`, the highest for the other
 * fields. A field without a value is null. Shares are limited to the range from 0 to 1.
 */
export function mostCautious(readings: readonly CardReadings[]): CardReadings {
  const valuesOf = (field: GradedField) => readings.flatMap(({ [field]: value }) => (value === null ? [] : [value]))
  const worst = (field: GradedField): number | null => {
    const values = valuesOf(field)
    if (values.length === 0) return null
    const value = isWorseBelow(field) ? Math.min(...values) : Math.max(...values)
    return counts.has(field) ? value : Math.min(1, Math.max(0, value))
  }
  return Object.fromEntries(gradedFields.map((field) => [field, worst(field)])) as CardReadings
}

type Penalties = ScannerGrade['penalties']

/**
 * Returns at most one penalty per field, in the order of the fields. If several rules fit the value of a
 * field, the one with the most points is used.
 */
export function penaltiesOf(readings: CardReadings, { rules }: Pick<GradeRules, 'rules'>): Penalties {
  return gradedFields.flatMap((field) => {
    const value = readings[field]
    if (value === null) return []
    const fitting = rules.filter((rule) => rule.field === field && fits(field, value, rule.limit))
    const [hardest] = fitting.sort((one, other) => other.points - one.points)
    return hardest ? [{ field, value, limit: hardest.limit, points: hardest.points }] : []
  })
}

const fits = (field: GradedField, value: number, limit: number): boolean =>
  isWorseBelow(field) ? value < limit : value >= limit

export const scoreOf = (penalties: Penalties): number =>
  Math.max(0, 100 - penalties.reduce((sum, { points }) => sum + points, 0))

export function gradeOf(score: number, { bands }: Pick<GradeRules, 'bands'>): Grade {
  const band = bands.find(({ minScore }) => score >= minScore)
  assert(band !== undefined, 'no band has a lowest score at or below the score')
  return band.grade
}
