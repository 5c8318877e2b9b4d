import { expect } from 'chai'
import { createRequestedPause } from '../../../ingest/node/requested-pause.ts'

describe('a URL that asked to be left alone', () => {
  it('is left alone for the longest that it asked for, and no longer', () => {
    let nowMs = 1_000
    const rest = createRequestedPause(() => nowMs)
    expect(rest.leftMs()).to.equal(0)
    rest.asked(10_000)
    rest.asked(5_000)
    expect(rest.leftMs()).to.equal(10_000)
    nowMs = 10_999
    expect(rest.leftMs()).to.equal(1)
    nowMs = 12_000
    expect(rest.leftMs()).to.equal(0)
  })

  it('is left alone no longer after the clock was set back', () => {
    let nowMs = 3_600_000
    const rest = createRequestedPause(() => nowMs)
    rest.asked(10_000)
    nowMs = 1_000
    expect(rest.leftMs()).to.equal(10_000)
    rest.asked(5_000)
    nowMs = 11_000
    expect(rest.leftMs()).to.equal(0)
  })
})
