import { expect } from 'chai'
import { formatUsd } from '../../../api/payments/offers/format-usd.ts'
import { requestIdOf } from '../../../api/payments/payment.ts'
import { routeIdOf } from '../../../api/route.ts'
import { parseParams } from '../../../api/sale/params.ts'
import { fixedMint, fixedWallet } from '../../support/chain-b/fixed-queries.ts'
import { undescribed } from '../../support/undescribed.ts'
import { chainB, pathOfEachRoute } from './edge.ts'

describe('the routes of chain B', () => {
  const { routes, snapshot } = chainB

  it('cost what the specification says, at each path that the tests buy', () => {
    const paths = routes.map(({ pattern }) => pattern.replace(':addr', fixedWallet).replace(':mint', fixedMint))
    expect(paths).to.deep.equal(pathOfEachRoute)
    const prices = routes.map((route) => formatUsd(route.priceUsdMicros))
    expect(prices).to.deep.equal(['0.01', '0.02', '0.01', '0.02', '0.05', '0.01', '0.02'])
  })

  it('are named in the ledger by their parameters after defaults', () => {
    const requestIds = routes.map((route) => {
      const parsed = parseParams(route.params, { query: {}, path: { addr: fixedWallet, mint: fixedMint } })
      return 'values' in parsed ? requestIdOf(routeIdOf(route), parsed.values) : expect.fail(parsed.refusal.error)
    })
    expect(requestIds).to.deep.equal([
      'GET /v1/sol/bursts/live?[["minutes",60]]',
      'GET /v1/sol/bursts/history?[["hours",24]]',
      'GET /v1/sol/grads/live?[["minutes",60]]',
      'GET /v1/sol/grads/history?[["hours",24],["limit",500]]',
      'GET /v1/sol/wallets/leaders?[["limit",50]]',
      `GET /v1/sol/wallets/{addr}/copy-stats?[["addr","${fixedWallet}"]]`,
      `GET /v1/sol/token/{mint}/verdict?[["mint","${fixedMint}"]]`,
    ])
  })

  it('are of chain B alone, and sell no data older than two minutes, verdicts none older than three, what is rebuilt hourly none older than three hours', () => {
    const limitOf = (pattern: string) => {
      if (pattern.includes('/wallets/')) return 10_800_000
      return pattern.endsWith('/verdict') ? 180_000 : 120_000
    }
    for (const { pattern, dependsOn } of routes)
      expect(
        dependsOn.map(({ stage, maxAgeMs }) => [stage.name, maxAgeMs]),
        pattern,
      ).to.deep.equal([['chain-b', limitOf(pattern)]])
  })

  it('say of every field of their answers when it is known and what it is', () => {
    for (const { pattern, schema } of routes) expect(undescribed(schema, pattern)).to.deep.equal([])
    if (snapshot === null) expect.fail('chain B has no object in the snapshot')
    expect(undescribed(snapshot.schema, 'snapshot')).to.deep.equal([])
  })
})
