/**
 * Tests a first start in the middle of an hour, and an outage of the chats over a whole hour. `npm run
 * editions` tests more starts and outages.
 */
import { expect } from 'chai'
import { proveStart } from './prove-start.ts'

const hourMs = 3_600_000
const minuteMs = 60_000
const dayMs = Date.UTC(2026, 8, 1)
const at = (hours: number, minutes: number) => dayMs + hours * hourMs + minutes * minuteMs

describe('hourly lists after a first start and outages', function () {
  this.timeout(300_000)

  //   past from 13:52   start 16:52   chats silent 17:10 - 18:05   end 18:15
  it('are complete for what they say of themselves', async () => {
    const { sold, faults, formerlyLacking } = await proveStart({
      ...{ seed: 4, startMs: at(16, 52), endMs: at(18, 15), lookBackMs: 3 * hourMs },
      rangesMost: 2,
      sources: ['chain-a', 'chain-b', 'chats'],
      outages: [{ of: 'chats', fromMs: at(17, 10), toMs: at(18, 5) }],
    })
    expect(faults).to.deep.equal([])
    expect(sold).to.be.above(60)
    expect(formerlyLacking, 'lists that would have lacked something').to.be.above(5)
  })
})
