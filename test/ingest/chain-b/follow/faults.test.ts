import { expect } from 'chai'
import { runUnderFaults } from './run-under-faults.ts'

/** `npm run faults:chain-b -- 100` tries more seeds. */
const seeds = { helius: [4, 5], plain: [2] } as const

describe('ingest of a branching chain B through a faulty node', () => {
  for (const kind of ['helius', 'plain'] as const)
    it(`leaves in the log what the chain is in the end, complete, in order and once, from ${kind}`, async () => {
      const types = new Set<string>()
      for (const seed of seeds[kind]) {
        const { told, canonical, expected } = await runUnderFaults(seed, kind)
        expect(Object.fromEntries(told), `seed ${seed}`).to.deep.equal(Object.fromEntries(expected))
        for (const { fact } of canonical.facts) types.add(fact.type)
      }
      expect([...types]).to.have.members([
        ...['CurveLaunched', 'CurveTraded', 'CurveCompleted', 'CurveMigrated', 'PoolTraded', 'CurveFound'],
      ])
    })
})
