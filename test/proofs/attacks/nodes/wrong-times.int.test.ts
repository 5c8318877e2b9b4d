/** `npm run attacks -- wrong-times` runs the same check with all kinds of wrong times. */
import { expect } from 'chai'
import { lyingTimes, tellWrongTimes } from './wrong-times.ts'

describe('nodes of both chains and a price feed that tell wrong times for some seconds', () => {
  it('end nothing: none of the times is written, and the service is fresh again, also one that starts meanwhile', async () => {
    const lies = lyingTimes.filter(({ name }) => /^the (year|second 1)/.test(name))
    const { freshAfterSec, wrong, records, said } = await tellWrongTimes(lies)
    expect(wrong).to.deep.equal([])
    expect(records).to.be.greaterThan(100)
    expect(Object.keys(freshAfterSec)).to.have.length(3)
    expect(Object.values(freshAfterSec), said).to.not.include(null)
  }).timeout(300_000)
})
