/** `npm run attacks -- slow-facilitator` prints the figures of a longer run. */
import { expect } from 'chai'
import { sellSlowly } from './slow-facilitator.ts'

describe('a facilitator that answers late, and a shop with a fifth of a processor', () => {
  it('sell to everybody, and quote a price to everybody', async () => {
    const { bought, quoted } = await sellSlowly({
      ...{ seconds: 8, purchasesPerSec: 3, quotesPerSec: 3, share: 0.2 },
      ...{ paymentMsMax: 7_000, supportedMsMax: 12_000 },
    })
    expect([bought, quoted]).to.deep.equal([{ 200: 24 }, { 402: 24 }])
  })
})
