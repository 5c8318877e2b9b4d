import { expect } from 'chai'
import { secondHalf, slopeOf } from './slope.ts'

describe('the slope of a measurement', () => {
  it('is that of the line on which the points lie', () => {
    const points = [0, 1, 2, 4].map((hour) => ({ hour, value: 100 - 3 * hour }))
    expect(slopeOf(points)).to.be.closeTo(-3, 1e-9)
  })

  it('is that of the nearest line, and not of the last point alone', () => {
    const points = [0, 10, 0, 10].map((value, hour) => ({ hour, value }))
    expect(slopeOf(points)).to.be.closeTo(2, 1e-9)
  })

  it('ignores what grew in the first half only', () => {
    const points = [0, 50, 100, 100, 100].map((value, hour) => ({ hour, value }))
    expect(slopeOf(secondHalf(points))).to.equal(0)
    expect(secondHalf(points).map(({ hour }) => hour)).to.deep.equal([2, 3, 4])
  })
})
