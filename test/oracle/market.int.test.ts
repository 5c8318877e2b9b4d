import { expect } from 'chai'
import { recordMarket } from '../support/chain-a-node/recorded-market.ts'
import { readMarketFixture } from '../support/oracle/market-fixture.ts'
import { mutations } from '../support/oracle/mutations.ts'
import { oracle } from '../support/oracle/oracle.ts'

describe('the scripted market on a real node', () => {
  it('is still the one that was recorded, and notices every bent rule', async () => {
    const played = await recordMarket()
    const answer = oracle(played.recording)
    expect(answer).to.deep.equal(oracle(readMarketFixture().recording))
    for (const { name, rules } of mutations) expect(oracle(played.recording, { rules }), name).not.to.deep.equal(answer)
  })
})
