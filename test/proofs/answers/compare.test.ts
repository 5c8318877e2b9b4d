import { expect } from 'chai'
import { anyText, anyTexts } from '../../support/oracle/chain-b/answers.ts'
import { compareBodies, createTally } from './compare.ts'

const differencesOf = (sold: unknown, expected: unknown): readonly string[] => {
  const tally = createTally()
  compareBodies(sold, expected, { tally, ids: new Map(), where: '' })
  return tally.differences
}

const row = (mint: string, at: number, ret = 0.5) => ({ mint, at, ret })

describe('a comparison of a body with the oracle’s', () => {
  it('finds equal ones equal, and counts rows and values', () => {
    const tally = createTally()
    const body = { n: 1, text: 'some', rows: [row('a', 2), row('b', 1)], path: [[60, 0.5]], none: null }
    compareBodies(body, { ...body, text: anyText }, { tally, ids: new Map(), where: '' })
    expect(tally).to.deep.equal({ rows: 2, values: 11, worst: 0, differences: [] })
  })

  it('sees what is missing, too much, or of another kind', () => {
    expect(differencesOf({ a: 1 }, { a: 1, b: null })).to.deep.equal(['.b is missing'])
    expect(differencesOf({ a: 1, b: null }, { a: 1 })).to.deep.equal(['.b is not expected'])
    expect(differencesOf({ a: [] }, { a: {} })).to.deep.equal(['.a: [], expected an object'])
    expect(differencesOf({ a: 0 }, { a: null })).to.have.lengthOf(1)
    expect(differencesOf({ a: '' }, { a: anyText })).to.have.lengthOf(1)
    expect(differencesOf({ a: {} }, { a: anyTexts })).to.have.lengthOf(1)
  })

  it('takes whole numbers exactly, and doubles to a relative 1e-9', () => {
    expect(differencesOf(1_000_000_000_001, 1_000_000_000_000)).to.have.lengthOf(1)
    expect(differencesOf(1.5 + 1e-9, 1.5)).to.deep.equal([])
    expect(differencesOf(1.5 + 1e-8, 1.5)).to.have.lengthOf(1)
    expect(differencesOf(1.5e-8, 1.4e-8)).to.have.lengthOf(1)
  })

  it('finds rows by mint and instant, and sees another order', () => {
    const rows = [row('a', 2), row('b', 1)]
    expect(differencesOf([...rows].reverse(), rows)).to.deep.equal([': another order'])
    expect(differencesOf([row('b', 1)], rows)).to.deep.equal([': missing: a 2; not expected: '])
    expect(differencesOf([row('a', 2, 0.6), row('b', 1)], rows)).to.deep.equal(['[a 2].ret: 0.6, expected 0.5'])
  })

  it('learns the ids of exit rules once, and holds every later row to them', () => {
    const tally = createTally()
    const ids = new Map()
    const expected = { byRule: { live: 1, hold: 2 } }
    for (const sold of [
      { r1: 1, hold: 2 },
      { hold: 2, r1: 1 },
    ])
      compareBodies({ byRule: sold }, expected, { tally, ids, where: '' })
    expect(tally.differences).to.deep.equal([])
    compareBodies({ byRule: { r2: 1, hold: 2 } }, expected, { tally, ids, where: '' })
    expect(tally.differences).to.deep.equal(['.byRule.r2 is not expected', '.byRule.r1 is missing'])
    expect(differencesOf({ byRule: { live: 1, hold: 2 } }, expected)).to.not.deep.equal([])
  })
})
