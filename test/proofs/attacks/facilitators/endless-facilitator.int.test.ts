/** `npm run attacks -- endless-facilitator` prints the figures. */
import { expect } from 'chai'
import { grownMbMax, hostilities, sufferFrom } from './endless-facilitator.ts'

describe('a facilitator and a node that answer without an end, with nonsense, or by sending elsewhere', () => {
  for (const [name, hostilityOf] of Object.entries(hostilities))
    it(`take no memory, break no answer and learn of nothing: ${name}`, async () => {
      const { bought, grownMb, heardElsewhere } = await sufferFrom(hostilityOf)
      if (typeof bought === 'string') throw new TypeError(bought)
      // If neither the facilitator nor the node says whether the payment was settled, the buyer still gets
      // the answer.
      const isOfSettlement = !name.endsWith('at verify')
      expect([bought.status, bought.transaction]).to.deep.equal(isOfSettlement ? [200, ''] : [503, null])
      expect(grownMb).to.be.lessThan(grownMbMax)
      expect(heardElsewhere).to.equal(0)
    })
})
