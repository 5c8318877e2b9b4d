import { expect } from 'chai'
import type { MarketStep } from '../../../ingest/simulated/market/steps.ts'
import { winsAfter } from '../../../ingest/simulated/token-history.ts'

const step = (second: number, rest: Partial<MarketStep>): MarketStep => ({
  ...{ second, market: '0xa', of: '0xa', source: 'pool', px: 1, depth: 2, left: 1 },
  ...rest,
})

describe('whether a simulated call wins', () => {
  it('is decided by the first of 35 % up and 20 % down within an hour, from three seconds after the post on', () => {
    expect(winsAfter([step(0, {}), step(2, { px: 1.1 }), step(9, { px: 1.5 })], 0)).to.equal(true)
    expect(winsAfter([step(0, {}), step(9, { px: 1.34 })], 0)).to.equal(false)
    expect(winsAfter([step(0, {}), step(9, { px: 0.8 }), step(10, { px: 2 })], 0)).to.equal(false)
    expect(winsAfter([step(0, {}), step(3604, { px: 2 })], 0)).to.equal(false)
    expect(winsAfter([step(0, {}), step(3603, { px: 2 })], 0)).to.equal(true)
    expect(winsAfter([step(10, {})], 0)).to.equal(null)
  })

  it('is lost with a pull of the market that priced it, whatever comes later', () => {
    expect(winsAfter([step(0, {}), step(9, { left: 0.2 }), step(10, { px: 9, left: 5 })], 0)).to.equal(false)
    expect(winsAfter([step(0, {}), step(9, { left: 0.21 }), step(10, { px: 9, left: 0.21 })], 0)).to.equal(true)
    const refilled = [step(0, { left: 0.1 }), step(9, { left: 0.03 }), step(10, { px: 9, left: 0.03 })]
    expect(winsAfter(refilled, 0)).to.equal(true)
  })

  it('is judged on the deepest market at the post, on its pool if that is a curve', () => {
    const other = { market: '0xb', of: '0xb', depth: 3 } as const
    expect(winsAfter([step(0, {}), step(1, { ...other }), step(9, { px: 0.1 })], 0)).to.equal(false)
    expect(winsAfter([step(0, {}), step(1, { ...other }), step(9, { ...other, px: 2 })], 0)).to.equal(true)
    expect(winsAfter([step(0, {}), step(9, { market: '0xc', px: 2 })], 0)).to.equal(true)
    expect(winsAfter([step(0, {}), step(1, { ...other, px: null }), step(9, { px: 2 })], 0)).to.equal(true)
  })
})
