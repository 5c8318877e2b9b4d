/**
 * Tests one first start whose lookups about the past take minutes. `npm run starts` tests more first starts.
 */
import { expect } from 'chai'
import { proveFirstStart } from './prove-first-start.ts'

const minuteMs = 60_000

describe('repeat buyers after a first start', function () {
  this.timeout(300_000)

  it('are those of all earlier bursts on every route, or not told yet', async () => {
    const { faults, repeating, waiting } = await proveFirstStart({
      ...{ seed: 3, startMs: Date.UTC(2026, 8, 1, 19, 14, 14), lookBackMs: 80 * minuteMs, liveMs: 5 * minuteMs },
      ...{ answersMost: 1, rangesMost: 100 },
    })
    expect(faults).to.deep.equal([])
    expect(repeating, 'rows with repeat buyers').to.be.above(10)
    expect(waiting, 'rows that wait for earlier bursts').to.be.above(0)
  })
})
