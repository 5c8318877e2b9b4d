/**
 * Compares the grades of cards, which are token summaries by bots, with independent code when the tables of
 * the rules are changed.
 */
import { expect } from 'chai'
import { gradeOf, penaltiesOf, scoreOf } from '../../../../processors/calls/grades/grade.ts'
import type { CardReadings } from '../../../../schemas/calls/facts.ts'
import { type GradeRules, gradedFields, gradeTable } from '../../../../schemas/calls/grades.ts'
import { gradeOf as countGrade } from '../../../support/oracle/calls/grade.ts'
import { bends, ruleLeaves } from '../../../support/rules/rule-leaves.ts'

const silent = Object.fromEntries(gradedFields.map((field) => [field, null])) as CardReadings

/**
 * For each rule, there is a card at its limit, one below it and one above it. Other fields are empty, or have
 * bad values.
 */
const cards: readonly CardReadings[] = gradeTable.rules.flatMap(({ field, limit }) =>
  [limit, limit * 0.93, limit * 1.07].flatMap((value) => [
    { ...silent, [field]: value },
    { ...silent, top10Pct: 0.35, sniperPct: 0.2, devLeftPct: 0.12, [field]: value },
    { ...silent, top10Pct: 0.6, bundlePct: 0.6, [field]: value },
  ]),
)

const gradedBy = (table: GradeRules) =>
  cards.map((readings) => {
    const penalties = penaltiesOf(readings, table)
    const score = scoreOf(penalties)
    return { score, grade: gradeOf(score, table), penalties }
  })
const countedBy = (table: GradeRules) => cards.map((readings) => countGrade(readings, table))

describe('the grades of cards', () => {
  it('are those of a recount', () => expect(gradedBy(gradeTable)).to.deep.equal(countedBy(gradeTable)))

  // Leaves out the last grade, because it has no minimum score.
  for (const leaf of ruleLeaves)
    if (/^calls\.grades\.(bands|rules)\./.test(leaf.path) && leaf.path !== 'calls.grades.bands.4.minScore')
      it(`are those of a recount by another ${leaf.path}`, () => {
        const standard = JSON.stringify(countedBy(gradeTable))
        const shown = bends(leaf).filter(({ calls: { grades } }) => JSON.stringify(countedBy(grades)) !== standard)
        expect(shown).to.have.length.above(0)
        for (const { calls } of shown) expect(gradedBy(calls.grades)).to.deep.equal(countedBy(calls.grades))
      })
})
