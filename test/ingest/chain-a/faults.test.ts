import { expect } from 'chai'
import { runUnderFaults } from './run-under-faults.ts'

describe('ingest of a branching chain through faulty nodes', () => {
  it('leaves in the log what the chain is in the end, without gap or duplicate', async function () {
    this.timeout(60_000)
    let reverts = 0
    for (let seed = 1; seed <= 8; seed++) {
      const { living, expected, counts } = await runUnderFaults(seed)
      expect(living.ids, `seed ${seed}`).to.deep.equal(expected)
      reverts += counts.reverts
    }
    expect(reverts, 'reverts in the log').to.be.greaterThan(8)
  })
})
