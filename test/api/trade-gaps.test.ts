import { expect } from 'chai'
import { gapCountsAnswerOf, gapCountsSchema, gapsField, minuteGapsField } from '../../api/trade-gaps.ts'

const gaps = { trades: null, volume: 0.5, knownAtMs: 7000 }
const shown = { trades: null, volume: 0.5, knownAt: 7000 }

describe('what rows say of missing trades', () => {
  it('is null where none is known to be missing', () => {
    const { read, schema } = gapsField('the window').gaps
    expect(read({ gaps: null }, undefined)).to.equal(null)
    expect(read({ gaps }, undefined)).to.deep.equal(shown)
    expect(schema.parse(shown)).to.deep.equal(shown)
    expect(() => schema.parse({ ...shown, trades: undefined })).to.throw()
  })

  it('says where else it is null', () => {
    const textOf = (...args: Parameters<typeof gapsField>) => gapsField(...args).gaps.schema.meta()?.description
    expect(textOf('the window')).to.match(/Null if none are known to be missing\.$/)
    expect(textOf('the hour', ', and if not tracked')).to.match(
      /Null if none are known to be missing, and if not tracked\.$/,
    )
  })

  it('counts in health what cannot be detected beside what was', () => {
    const counts = { open: 1, givenUp: 2, late: 3 }
    const told = gapCountsAnswerOf({ ...counts, unchecked: 4 }, 'Counted: pools.')
    expect(told).to.deep.equal({ ...counts, undetectable: { markets: 4, what: 'Counted: pools.' } })
    expect(gapCountsSchema.parse(told)).to.deep.equal(told)
  })

  it('is told of the minutes that they touch alone', () => {
    const { read, schema } = minuteGapsField.gaps
    const quiet = { minuteAtMs: 0, gaps: null }
    const touched = { minuteAtMs: 60_000, gaps }
    expect(read({ minutes: [quiet, quiet] }, undefined)).to.equal(null)
    const told = read({ minutes: [quiet, touched, quiet] }, undefined)
    expect(told).to.deep.equal([{ minuteStartMs: 60_000, ...shown }])
    expect(schema.parse(told)).to.deep.equal(told)
  })
})
