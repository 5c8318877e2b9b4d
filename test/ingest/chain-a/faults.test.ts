import { expect } from 'chai'
import { faultSeeds } from '../../replay/reorgs/reorg-seeds.ts'
import { runUnderFaults } from './run-under-faults.ts'

describe('ingest of a branching chain through faulty nodes', () => {
  it('leaves in the log what the chain is in the end, without gap or duplicate', async () => {
    let reorgs = 0
    const types = new Set<string>()
    for (const seed of faultSeeds) {
      const { told, canonical, expected, counts } = await runUnderFaults(seed)
      expect(told, `seed ${seed}`).to.deep.equal(expected)
      for (const { type } of canonical.facts) types.add(type)
      reorgs += counts.reorgs
    }
    expect([...types]).to.have.members([
      ...['PoolCreated', 'Swap', 'LiquidityChanged', 'PositionTransferred'],
      ...['CurveLaunched', 'CurveTraded', 'CurveCompleted', 'CurveGraduated', 'CurveFound'],
    ])
    expect(reorgs, 'reorgs in the log').to.be.greaterThan(5)
  })

  it('leaves the same there when the nodes announce blocks, and lie', async () => {
    let heardCount = 0
    for (const seed of faultSeeds.slice(0, 3)) {
      const { told, expected, counts } = await runUnderFaults(seed, { isPushed: true })
      expect(told, `seed ${seed}`).to.deep.equal(expected)
      heardCount += counts.heard
    }
    expect(heardCount, 'announcements').to.be.greaterThan(30)
  })
})
