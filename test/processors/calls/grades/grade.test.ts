import { expect } from 'chai'
import {
  gradeOf as gradeBy,
  isSilent,
  mostCautious,
  penaltiesOf as penaltiesBy,
  scoreOf,
} from '../../../../processors/calls/grades/grade.ts'
import type { CardReadings } from '../../../../schemas/calls/facts.ts'
import { gradedFields, gradeTable } from '../../../../schemas/calls/grades.ts'

const gradeOf = (score: number) => gradeBy(score, gradeTable)
const penaltiesOf = (readings: CardReadings) => penaltiesBy(readings, gradeTable)

const silent = Object.fromEntries(gradedFields.map((field) => [field, null])) as CardReadings
const reading = (fields: Partial<CardReadings>): CardReadings => ({ ...silent, ...fields })

describe('scanner grades', () => {
  it('take the largest share and count of all cards, and the smallest number of holders', () => {
    const one = reading({ top10Pct: 0.2, snipers: 7, holders: 300, fresh1d: 0.1 })
    const other = reading({ top10Pct: 0.3, snipers: 3, holders: 500, bundlePct: 0 })
    expect(mostCautious([one, other])).to.deep.equal(
      reading({ top10Pct: 0.3, snipers: 7, holders: 300, fresh1d: 0.1, bundlePct: 0 }),
    )
  })

  it('never read absence as zero', () => {
    expect(mostCautious([silent, silent])).to.deep.equal(silent)
    expect(penaltiesOf(silent)).to.deep.equal([])
    expect(isSilent(silent)).to.equal(true)
    expect(isSilent(reading({ holders: 0 }))).to.equal(false)
  })

  it('clamp shares, and no counts', () => {
    expect(
      mostCautious([reading({ bundlePct: 1.7, sniperPct: -0.1, snipers: 4, bundlers: 5, holders: 6 })]),
    ).to.deep.equal(reading({ bundlePct: 1, sniperPct: 0, snipers: 4, bundlers: 5, holders: 6 }))
  })

  for (const { field, limit, points } of gradeTable.rules) {
    const isHolders = field === 'holders'
    it(`cost ${points} points where ${field} is ${isHolders ? 'below' : 'at or above'} ${limit}, and not on its other side`, () => {
      const step = isHolders || Number.isInteger(limit) ? 1 : 1e-9
      const inside = isHolders ? limit - step : limit
      const outside = isHolders ? limit : limit - step
      const paid = (value: number) => penaltiesOf(reading({ [field]: value }))
      expect(paid(inside)).to.deep.equal([{ field, value: inside, limit, points }])
      expect(paid(outside).map((penalty) => penalty.points)).to.not.include(points)
    })
  }

  it('count the hardest rule of a field alone, in the order of the fields', () => {
    expect(penaltiesOf(reading({ holders: 10, top10Pct: 0.9 }))).to.deep.equal([
      { field: 'top10Pct', value: 0.9, limit: 0.5, points: 25 },
      { field: 'holders', value: 10, limit: 50, points: 10 },
    ])
  })

  it('have harder rules at harder limits, so that a worse reading never costs less', () => {
    for (const field of gradedFields) {
      const rules = gradeTable.rules.filter((rule) => rule.field === field)
      expect(rules, field).to.not.be.empty
      const byLimit = [...rules].sort((one, other) => (field === 'holders' ? -1 : 1) * (one.limit - other.limit))
      const points = byLimit.map((rule) => rule.points)
      expect(points, field).to.deep.equal([...points].sort((one, other) => one - other))
    }
  })

  it('score 100 less all points, and never less than 0', () => {
    const penalty = (points: number) => ({ field: 'top10Pct', value: 1, limit: 0, points })
    expect(scoreOf([])).to.equal(100)
    expect(scoreOf([penalty(25), penalty(12)])).to.equal(63)
    expect(scoreOf([penalty(60), penalty(41)])).to.equal(0)
    const worst = reading({
      top10Pct: 1,
      topHolder1Pct: 1,
      snipers: 99,
      sniperPct: 1,
      bundlers: 99,
      bundlePct: 1,
      devLeftPct: 1,
      fresh1d: 1,
      fresh7d: 1,
      holders: 0,
    })
    expect(scoreOf(penaltiesOf(worst))).to.equal(0)
  })

  const bands: readonly (readonly [number, string])[] = [
    [100, 'A'],
    [85, 'A'],
    [84, 'B'],
    [70, 'B'],
    [69, 'C'],
    [55, 'C'],
    [54, 'D'],
    [40, 'D'],
    [39, 'F'],
    [0, 'F'],
  ]
  for (const [score, grade] of bands)
    it(`are ${grade} at a score of ${score}`, () => expect(gradeOf(score)).to.equal(grade))

  it('list their bands best first, down to 0', () => {
    const limits = gradeTable.bands.map(({ minScore }) => minScore)
    expect(limits).to.deep.equal([...limits].sort((one, other) => other - one))
    expect(limits.at(-1)).to.equal(0)
  })
})
