import { expect } from 'chai'
import { gapsField, minuteGapsField } from '../../api/trade-gaps.ts'

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
