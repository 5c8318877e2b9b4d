/** Grades by other tables, beside a recount in plain loops. */
import { expect } from 'chai'
import { gradeOf, penaltiesOf, scoreOf } from '../../../../processors/calls/grades/grade.ts'
import type { CardReadings } from '../../../../schemas/calls/facts.ts'
import { type GradeRules, gradedFields, gradeTable } from '../../../../schemas/calls/grades.ts'
import { bends, ruleLeaves } from '../../../support/rules/rule-leaves.ts'

type Graded = Readonly<{ score: number; grade: string }>

function recount(readings: CardReadings, { rules, bands }: GradeRules): Graded {
  let score = 100
  for (const field of gradedFields) {
    const value = readings[field]
    let most = 0
    for (const rule of rules) {
      if (rule.field !== field || value === null) continue
      const isReached = field === 'holders' ? value < rule.limit : value >= rule.limit
      if (isReached && rule.points > most) most = rule.points
    }
    score -= most
  }
  const reached = Math.max(0, score)
  const band = bands.find(({ minScore }) => minScore <= reached)
  return { score: reached, grade: band?.grade ?? 'F' }
}

const silent = Object.fromEntries(gradedFields.map((field) => [field, null])) as CardReadings

/** Each limit of the default and just beside it, alone and with all others of the worst. */
const cards: readonly CardReadings[] = gradeTable.rules.flatMap(({ field, limit }) =>
  [limit, limit * 0.93, limit * 1.07].flatMap((value) => [
    { ...silent, [field]: value },
    { ...silent, top10Pct: 0.35, sniperPct: 0.2, devLeftPct: 0.12, [field]: value },
    { ...silent, top10Pct: 0.6, bundlePct: 0.6, [field]: value },
  ]),
)

const gradedBy = (table: GradeRules) =>
  cards.map((readings): Graded => {
    const score = scoreOf(penaltiesOf(readings, table))
    return { score, grade: gradeOf(score, table) }
  })
const countedBy = (table: GradeRules) => cards.map((readings) => recount(readings, table))

describe('the grades of cards', () => {
  it('are those of a recount', () => expect(gradedBy(gradeTable)).to.deep.equal(countedBy(gradeTable)))

  // The last grade has no score to reach.
  for (const leaf of ruleLeaves)
    if (/^calls\.grades\.(bands|rules)\./.test(leaf.path) && leaf.path !== 'calls.grades.bands.4.minScore')
      it(`are those of a recount by another ${leaf.path}`, () => {
        const standard = JSON.stringify(countedBy(gradeTable))
        const shown = bends(leaf).filter(({ calls: { grades } }) => JSON.stringify(countedBy(grades)) !== standard)
        expect(shown).to.have.length.above(0)
        for (const { calls } of shown) expect(gradedBy(calls.grades)).to.deep.equal(countedBy(calls.grades))
      })
})
