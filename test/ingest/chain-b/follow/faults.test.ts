import { expect } from 'chai'
import { runUnderFaults } from './run-under-faults.ts'

/** `npm run faults -- 100 1 chain-b` runs more. */
const seeds = [1, 2, 3, 4, 5]

describe('ingest of a branching chain B through a faulty node', () => {
  for (const kind of ['helius', 'plain'] as const)
    it(`leaves in the log what the chain is in the end, complete, in order and once, from ${kind}`, async () => {
      let reorgs = 0
      const types = new Set<string>()
      for (const seed of seeds) {
        const { told, living, expected, counts } = await runUnderFaults(seed, kind)
        expect(Object.fromEntries(told), `seed ${seed}`).to.deep.equal(Object.fromEntries(expected))
        for (const { fact } of living.facts) types.add(fact.type)
        reorgs += counts.reorgs
      }
      expect([...types]).to.have.members([
        ...['CurveLaunched', 'CurveTraded', 'CurveCompleted', 'CurveMigrated', 'PoolTraded', 'CurveFound'],
      ])
      expect(reorgs, 'reorgs in the log').to.be.above(5)
    })
})
