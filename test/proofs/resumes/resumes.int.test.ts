/** `npm run resumes` kills 200 times and starts 500 times. */
import { expect } from 'chai'
import { proveResumes } from './prove.ts'

describe('a client of the stream that is killed and continues', () => {
  it('has the events of one that never stopped, beside two workers of which one is stopped', async () => {
    const { faults, events, cases } = await proveResumes({ kills: 15, starts: 10, seed: 1 })
    expect(faults).to.deep.equal([])
    expect(events).to.be.above(200)
    expect(cases).to.include({ kills: 15, starts: 10, 'refused cursors': 3 })
    expect(cases['pauses of a worker']).to.be.above(0)
  })
})
