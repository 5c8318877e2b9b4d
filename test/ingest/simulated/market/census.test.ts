import { expect } from 'chai'
import { censusOf } from '../../../support/market-census.ts'

const hourMs = 3_600_000
const fromMs = Date.UTC(2026, 8, 1)

describe('the tokens of the simulated markets', () => {
  let [pulledLate, unpriced] = [0, 0]

  for (const seed of [1, 2, 3])
    it(`do all that tokens do, and a tenth of those that are called is pulled later, of seed ${seed}`, async () => {
      const { launches, called } = await censusOf({ seed, fromMs, toMs: fromMs + 10 * hourMs, callsPerHour: 40 })
      const of = (name: string) => launches.get(name) ?? 0
      const tokens = of('token of chain A')
      expect(of('pulled') / tokens).to.be.within(0.1, 0.3)
      expect(of('graduated') / tokens).to.be.within(0.02, 0.1)
      expect(of('traded after 25.5 h') / tokens).to.be.within(0.04, 0.2)
      for (const name of [
        ...['all taken at once', '80 to 96 % taken at once', 'half to four fifths taken at once'],
        ...['pulled in several parts', 'refilled, what was left', 'raised by a third or more', 'second market'],
      ])
        expect(of(name), name).to.be.above(0)
      pulledLate += of('pulled after 24 h')
      const [ofA, ofB] = [called.get('chain A') ?? 0, called.get('chain B') ?? 0]
      expect((called.get('pulled 1 min to 30 h later') ?? 0) / (ofA + ofB)).to.be.within(0.06, 0.15)
      for (const name of [
        ...['chain A, market 20 to 24.5 h old', 'chain A, market older than 24.5 h', 'chain A, on the curve'],
        ...['chain A, in the pool of a curve', 'chain B, in the pool of a curve', 'chain B, graduates later'],
        ...['another market after its pull', '(again) on the second market', 'never traded again'],
        ...['addresses that are no token', 'not yet traded'],
      ])
        expect(called.get(name) ?? 0, name).to.be.above(0)
      unpriced += called.get('no price at the post') ?? 0
    })

  it('are pulled after a day, too', () => {
    expect(pulledLate).to.be.above(2)
  })

  it('are called while they have no price, too', () => {
    expect(unpriced).to.be.above(2)
  })
})
