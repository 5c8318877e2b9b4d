import { expect } from 'chai'
import { createFrontPart } from '../../../api/chain-a/front-part.ts'
import { createFixedQueries, fixedBurst, fixedCut, fixedPool } from '../../support/fixed-queries.ts'

describe('chain A on the front page', () => {
  const { state, queries } = createFixedQueries()
  const presentation = { chainName: 'chainA', launchpadKey: 'curve', ruleIdSecret: 'a', callerIdSecret: 'b' }
  const part = createFrontPart({ queries, presentation })

  it('lists new pools with their liquidity, their trades and the tiers that fired', async () => {
    state.pools = [fixedPool, { ...fixedPool, fired: [] }]
    const [column] = (await part.answer(fixedCut)).columns
    expect(column?.tokens.map(({ facts }) => facts)).to.deep.equal([
      ['4.20 ETH of liquidity', '20 buys, 3 sells', 'burst: main, lite'],
      ['4.20 ETH of liquidity', '20 buys, 3 sells'],
    ])
    expect(column?.tokens[0]).to.include({ token: fixedPool.token, atMs: fixedPool.createdAtMs, fill: null })
  })

  it('has the return after 30 minutes, and whether the liquidity was pulled', async () => {
    const outcome = fixedBurst.outcome!
    state.bursts = [
      { ...fixedBurst, outcome: { ...outcome, ret30m: 0.25, rug: null } },
      { ...fixedBurst, outcome: { ...outcome, ret30m: -1, rug: { atSec: 60, lpRemoved: 1 } } },
      { ...fixedBurst, outcome: null },
    ]
    const { bursts } = await part.answer(fixedCut)
    expect(bursts.map(({ ret, isPulled }) => [ret, isPulled])).to.deep.equal([
      [0.25, false],
      [-1, true],
      [null, false],
    ])
    expect(bursts[0]).to.include({ inflow: 1.5, text: 'main: +1.50 ETH in 60 s, 14 buys, pool 12 min old' })
  })

  it('has the prices of a token, and says from which pool', async () => {
    const found = await part.pricesOf(fixedCut, fixedBurst.token)
    expect(found).to.deep.equal({
      ...{ name: null, poolFromMs: null, areTradesMissing: false },
      market: `The pool ${fixedBurst.pool}, the one of its 2 pools with the most ETH of the last 48 hours.`,
      points: [
        { minuteAtMs: fixedCut.blockAtMs - 120_000, px: 1e-15 },
        { minuteAtMs: fixedCut.blockAtMs - 60_000, px: 1.5e-15 },
      ],
    })
    state.tokenPrices = { ...state.tokenPrices!, poolCount: 1, gaps: { trades: 1, volume: 2, knownAtMs: 3 } }
    expect(await part.pricesOf(fixedCut, fixedBurst.token)).to.include({
      ...{ market: `The pool ${fixedBurst.pool}, its only pool of the last 48 hours.`, areTradesMissing: true },
    })
    expect(await part.pricesOf(fixedCut, 'other')).to.equal(null)
  })
})
