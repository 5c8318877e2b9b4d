import { expect } from 'chai'
import { fixedCut, fixedPool } from '../../support/fixed-queries.ts'
import { bodyOf, edgeOfTests } from '../edge.ts'

describe('the answers about pools of chain A', () => {
  const edge = edgeOfTests()

  it('hold what the tables say of each', async () => {
    const { pools } = (await bodyOf(edge.buy('/v1/rh/pools/new'))) as unknown as { pools: readonly object[] }
    expect(pools).to.deep.equal([
      {
        id: fixedPool.pool,
        dex: 'v4',
        token: fixedPool.token,
        createdBlock: 5,
        ageMin: (fixedCut.atMs - fixedPool.createdAtMs) / 60_000,
        lastPx: 1e-27,
        liqEth: 4.2,
        lastSwapAt: fixedPool.lastSwapAtMs,
        net60m: 1.25,
        buys60m: 20,
        sells60m: 3,
        fired: ['main', 'lite'],
      },
    ])
  })

  it('cost half a cent', () => {
    const prices = edge.routes
      .filter(({ pattern }) => pattern.startsWith('/v1/rh/pools'))
      .map(({ pattern, priceUsdMicros }) => [pattern, priceUsdMicros])
    expect(prices).to.deep.equal([
      ['/v1/rh/pools/new', 5_000],
      ['/v1/rh/pools/:id/flow', 5_000],
    ])
  })
})
