import { expect } from 'chai'
import { prove } from './prove.ts'

/** `npm run losses` runs this check for more hours, and for more shares of lost trades. */
describe('what is sold of a market of chain B that lost trades for good', () => {
  it('is that of the whole market, or flagged; and no row is flagged that no lost trade touches', async () => {
    const { rows, flaggedOfWhole, ofShares } = await prove({
      ...{ hours: 3, seed: 1, oneInEach: [200, 20], walletsMost: 30 },
      print: () => {},
    })
    expect(rows).to.be.above(200)
    expect(flaggedOfWhole).to.deep.equal([])
    for (const { faults, lost, counts } of ofShares) {
      expect(faults).to.deep.equal([])
      expect(lost).to.be.above(5)
      expect(counts.get('copy: equal, not flagged')).to.be.above(10)
    }
    const { counts } = ofShares[1] ?? expect.fail('two shares')
    for (const kind of ['burst', 'copy']) expect(counts.get(`${kind}: differs, flagged`), kind).to.be.above(0)
  })
})
