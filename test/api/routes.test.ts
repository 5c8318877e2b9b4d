import { expect } from 'chai'
import { z } from 'zod'
import { formatUsd } from '../../api/payments/offers/format-usd.ts'
import { requestIdOf } from '../../api/payments/payment.ts'
import { routeIdOf } from '../../api/route.ts'
import { parseParams } from '../../api/sale/params.ts'
import { chainAPatterns, paidRoutes } from '../support/payments/paid-routes.ts'
import { undescribed } from '../support/undescribed.ts'

describe('the paid routes', () => {
  /** Those of chain B alone stand in its folder. */
  const ofChainA = paidRoutes.filter(({ pattern }) => chainAPatterns.includes(pattern))

  it('cost what the specification says', () => {
    const inUsd = paidRoutes.map((route) => `${routeIdOf(route).slice(4)} ${formatUsd(route.priceUsdMicros)}`)
    expect(inUsd).to.deep.equal([
      '/v1/rh/bursts/live 0.01',
      '/v1/rh/bursts/history 0.02',
      '/v1/rh/pools/new 0.005',
      '/v1/rh/pools/{id}/flow 0.005',
      '/v1/rh/token/{addr}/rugcheck 0.02',
      '/v1/rh/crews 0.02',
      '/v1/rh/token/{addr}/verdict 0.03',
      '/v1/sol/bursts/live 0.01',
      '/v1/sol/bursts/history 0.02',
      '/v1/sol/grads/live 0.01',
      '/v1/sol/grads/history 0.02',
      '/v1/sol/wallets/leaders 0.05',
      '/v1/sol/wallets/{addr}/copy-stats 0.01',
      '/v1/sol/token/{mint}/verdict 0.02',
      '/v1/sol/calls/live 0.02',
      '/v1/sol/calls/outcomes 0.05',
      '/v1/sol/callers/leaderboard 0.05',
      '/v1/scanner/{mint} 0.01',
      '/v1/rh/token/{addr}/precall 0.02',
      '/v1/snapshot 0.03',
      '/v1/desk/trades 0.01',
      '/v1/stream/pass 0.50',
    ])
  })

  it('are named in the ledger by their parameters after defaults, so that what was sold is found again', () => {
    const path = { id: `0x${'B2'.repeat(32)}`, addr: `0x${'A1'.repeat(20)}` }
    const requestIds = ofChainA.map((route) => {
      const parsed = parseParams(route.params, { query: {}, path })
      return 'values' in parsed ? requestIdOf(routeIdOf(route), parsed.values) : expect.fail(parsed.refusal.error)
    })
    expect(requestIds).to.deep.equal([
      'GET /v1/rh/bursts/live?[["lp","all"],["minutes",60],["tier","main"]]',
      'GET /v1/rh/bursts/history?[["hours",24],["lp","all"],["tier","all"]]',
      'GET /v1/rh/pools/new?[["hours",6],["limit",200]]',
      `GET /v1/rh/pools/{id}/flow?[["id","0x${'b2'.repeat(32)}"]]`,
      `GET /v1/rh/token/{addr}/rugcheck?[["addr","0x${'a1'.repeat(20)}"]]`,
      'GET /v1/rh/crews?[["limit",25],["minBursts",3]]',
      `GET /v1/rh/token/{addr}/verdict?[["addr","0x${'a1'.repeat(20)}"]]`,
      'GET /v1/snapshot?[["minutes",60]]',
      'GET /v1/desk/trades?[["book","all"],["limit",500],["since",-86400000]]',
    ])
  })

  for (const { pattern, params } of paidRoutes)
    for (const [name, param] of Object.entries(params)) {
      if (param.type !== 'number') continue
      it(`floor a fraction of ${name} on ${pattern}, and sell the answer to the whole number`, () => {
        const path = { id: `0x${'B2'.repeat(32)}`, addr: `0x${'A1'.repeat(20)}` }
        const parsed = parseParams(params, { query: { [name]: `${param.min}.9` }, path })
        expect(parsed).to.have.nested.property(`values.${name}`, param.min)
        const beyond = parseParams(params, { query: { [name]: `${param.max}.1` }, path })
        expect(beyond).to.have.nested.property('refusal.code', 'bad_param')
      })
    }

  const longerAges = [
    ['/verdict', 180_000],
    ['/desk/trades', 600_000],
  ] as const

  it('sell no data older than two minutes, verdicts three, closed trades ten', () => {
    for (const { pattern, dependsOn } of ofChainA) {
      const isJoint = pattern === '/v1/snapshot' || pattern === '/v1/desk/trades'
      const maxAgeMsOfRoute = longerAges.find(([end]) => pattern.endsWith(end))?.[1] ?? 120_000
      expect(
        dependsOn.map(({ stage, maxAgeMs }) => [stage.name, maxAgeMs]),
        pattern,
      ).to.deep.equal((isJoint ? ['chain-a', 'chain-b'] : ['chain-a']).map((name) => [name, maxAgeMsOfRoute]))
    }
  })

  it('say of every field of their answers when it is known and what it is', () => {
    for (const { pattern, schema } of paidRoutes) expect(undescribed(schema, pattern)).to.deep.equal([])
  })

  it('are seen to leave a field without a description', () => {
    const inner = z.strictObject({
      known: z.string().meta({ availability: 'now', description: 'text' }),
      bare: z.int(),
    })
    expect(undescribed(z.strictObject({ rows: z.array(inner).nullable() }), 'body')).to.deep.equal(['body.rows.bare'])
    const meta = { availability: 'now', description: 'text' }
    const holding = (its: z.ZodType) => z.strictObject({ rows: z.array(its).meta(meta) })
    expect(undescribed(holding(inner), 'body'), 'part of a field that is described').to.deep.equal([])
    const resource = inner.extend({}).meta({ id: 'aResourceOfThisTest' })
    expect(undescribed(holding(resource), 'body'), 'a resource').to.deep.equal(['body.rows.bare'])
    const alone = z.strictObject({ row: resource.meta(meta) })
    expect(undescribed(alone, 'body'), 'a resource by itself').to.deep.equal(['body.row.bare'])
  })
})
