/** `npm run attacks -- lying-facilitator` prints the figures, at the speed of a real chain. */
import { expect } from 'chai'
import { believeLies } from './lying-facilitator.ts'

describe('a facilitator that calls settled what never was', () => {
  it('is found out by the chain, told in the log and the statistics, and sold through no longer', async () => {
    const { lastStatus, settlements, isLogged } = await believeLies({ secondsMax: 240, perSec: 1, speed: 30 })
    expect([lastStatus, isLogged]).to.deep.equal([503, true])
    expect(settlements).to.include({ found: 0, unchecked: 0 })
    expect(settlements?.missing).to.be.greaterThan(0)
  })
})
