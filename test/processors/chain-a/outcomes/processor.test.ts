import { expect } from 'chai'
import { bursts } from '../../../../processors/chain-a/bursts/processor.ts'
import { markets } from '../../../../processors/chain-a/markets/processor.ts'
import { outcomes } from '../../../../processors/chain-a/outcomes/processor.ts'
import {
  buildAddress,
  buildLiquidityChanged,
  buildPoolCreated,
  buildSwap,
  type SwapFields,
  second,
} from '../../../support/builders/build-facts.ts'
import { given } from '../../../support/given-chain-a.ts'

const hooks = buildAddress(0x400c)
const signalSec = 600
const endSec = signalSec + 1800

/** A lite burst at a price of 1e-9. */
const past = [
  buildPoolCreated({ blockAtMs: second(0), hooks }),
  ...Array.from({ length: 8 }, () => buildSwap({ blockAtMs: second(signalSec), eth: 0.1 })),
]

/** Returns the return at the end of the window, without costs. */
function ret30m(...swaps: readonly SwapFields[]): number {
  const { records } = given([markets, bursts, outcomes], past)
    .when(...swaps.map(buildSwap))
    .wokenAt(second(endSec))
  const outcome = records[0]
  return outcome?.type === 'BurstOutcome' ? outcome.data.ret30m + 0.02 : expect.fail('no outcome')
}

describe('the outcome of a burst', () => {
  it('comes once block time has passed signal + 30 min, and not before', () => {
    const then = given([markets, bursts, outcomes], past).wokenAt(second(endSec) - 1)
    expect(then.records).to.deep.equal([])
    const outcome = then.wokenAt(second(endSec)).records
    expect(outcome.map(({ type, data }) => type === 'BurstOutcome' && [data.tier, data.atMs])).to.deep.equal([
      ['lite', second(signalSec)],
    ])
  })

  it('counts a swap exactly at signal + 30 min', () => {
    expect(ret30m({ blockAtMs: second(endSec), px: 3e-9 })).to.be.closeTo(2, 1e-9)
  })

  it('counts a later block of the signal’s own second, but not the signal block', () => {
    expect(ret30m({ blockAtMs: second(signalSec), blockNumber: 1601, px: 2e-9 })).to.be.closeTo(1, 1e-9)
  })

  it('leaves out swaps by the hook, swaps of nothing and swaps at the limits', () => {
    const blockAtMs = second(700)
    expect(
      ret30m(
        { blockAtMs, px: 2e-9 },
        { blockAtMs, px: 5e-9, sender: hooks },
        { blockAtMs, px: 5e-9, eth: 0 },
        { blockAtMs, px: 5e-9, tick: -887272 },
        { blockAtMs, px: 5e-9, tick: 887271 },
      ),
    ).to.be.closeTo(1, 1e-9)
  })

  it('comes although the creation of its pool is told again', () => {
    const then = given([markets, bursts, outcomes], past).when(buildPoolCreated({ blockAtMs: second(700), hooks }))
    expect(then.wokenAt(second(endSec)).records.map(({ type }) => type)).to.deep.equal(['BurstOutcome'])
  })

  it('is of no pool whose creation is not in the log: nothing is kept of its liquidity', () => {
    const then = given([markets, outcomes]).when(buildLiquidityChanged(), buildSwap())
    expect(then.driver.counts().tokens).to.equal(0)
  })

  it('is forgotten when it is told', () => {
    const state = outcomes.initialState()
    const then = given([markets, bursts, { ...outcomes, initialState: () => state }], past).wokenAt(second(700))
    expect(state.watches).to.have.length(1)
    then.wokenAt(second(endSec))
    expect(state.watches).to.deep.equal([])
  })

  it('is kept apart for each burst of a pool', () => {
    const more = Array.from({ length: 4 }, () => buildSwap({ blockAtMs: second(630), eth: 0.1, px: 2e-9 }))
    const then = given([markets, bursts, outcomes], past).when(...more, buildSwap({ blockAtMs: second(640), px: 4e-9 }))
    const lite = then.wokenAt(second(endSec))
    const main = lite.wokenAt(second(endSec + 30))
    const returns = [...lite.records, ...main.records].map(({ type, data }) =>
      type === 'BurstOutcome' ? `${data.tier} ${(data.ret30m + 0.02).toFixed(3)}` : type,
    )
    expect(returns).to.deep.equal(['lite 3.000', 'main 1.000'])
  })
})
