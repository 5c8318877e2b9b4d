import { expect } from 'chai'
import { formatUsd, pricesUsdMicros } from '../../../api/payments/prices.ts'

describe('prices', () => {
  it('are those of the specification, route by route', () => {
    const inUsd = Object.entries(pricesUsdMicros).map(([route, micros]) => `${route.slice(4)} ${formatUsd(micros)}`)
    expect(inUsd).to.deep.equal([
      '/v1/rh/bursts/live 0.01',
      '/v1/rh/bursts/history 0.02',
      '/v1/rh/pools/new 0.005',
      '/v1/rh/pools/{id}/flow 0.005',
      '/v1/rh/token/{addr}/rugcheck 0.02',
      '/v1/rh/crews 0.02',
      '/v1/rh/token/{addr}/precall 0.02',
      '/v1/rh/token/{addr}/verdict 0.03',
      '/v1/sol/bursts/live 0.01',
      '/v1/sol/bursts/history 0.02',
      '/v1/sol/wallets/leaders 0.05',
      '/v1/sol/wallets/{addr}/copy-stats 0.01',
      '/v1/sol/callers/leaderboard 0.05',
      '/v1/sol/calls/outcomes 0.05',
      '/v1/sol/calls/live 0.02',
      '/v1/sol/grads/live 0.01',
      '/v1/sol/grads/history 0.02',
      '/v1/sol/token/{mint}/verdict 0.02',
      '/v1/scanner/{mint} 0.01',
      '/v1/snapshot 0.03',
      '/v1/desk/trades 0.01',
      '/v1/stream/pass 0.50',
    ])
  })
})
