import { expect } from 'chai'
import { calls } from '../../../api/calls/product.ts'
import { liveCall } from '../../../api/calls/resources/live-call.ts'
import { formatUsd } from '../../../api/payments/offers/format-usd.ts'
import { requestIdOf } from '../../../api/payments/payment.ts'
import { routeIdOf } from '../../../api/route.ts'
import { parseParams } from '../../../api/sale/params.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import {
  calledB,
  chatsOver,
  createFixedCallsQueries,
  fixedGradedMint,
  fixedToken,
} from '../../support/calls/fixed-queries.ts'
import { apiChains } from '../../support/payments/paid-routes.ts'
import { undescribed } from '../../support/undescribed.ts'
import { pathOfEachRoute } from './edge.ts'

describe('the routes of calls', () => {
  const routes = calls.routesOf(apiChains)

  it('cost what the specification says, at each path that the tests buy', () => {
    const paths = routes.map(({ pattern }) => pattern.replace(':addr', fixedToken).replace(':mint', fixedGradedMint))
    expect(paths).to.deep.equal(pathOfEachRoute)
    const prices = routes.map((route) => formatUsd(route.priceUsdMicros))
    expect(prices).to.deep.equal(['0.02', '0.05', '0.05', '0.01', '0.02'])
  })

  it('are named in the ledger by their parameters after defaults', () => {
    const requestIds = routes.map((route) => {
      const path = { addr: fixedToken.toUpperCase().replace('X', 'x'), mint: fixedGradedMint }
      const parsed = parseParams(route.params, { query: {}, path })
      return 'values' in parsed ? requestIdOf(routeIdOf(route), parsed.values) : expect.fail(parsed.refusal.error)
    })
    expect(requestIds).to.deep.equal([
      'GET /v1/sol/calls/live?[["chain",""],["minutes",30]]',
      'GET /v1/sol/calls/outcomes?[["chain",""],["hours",48],["limit",500]]',
      'GET /v1/sol/callers/leaderboard?[["limit",50],["sort","win35"],["window","7d"]]',
      `GET /v1/scanner/{mint}?[["mint","${fixedGradedMint}"]]`,
      `GET /v1/rh/token/{addr}/precall?[["addr","${fixedToken}"]]`,
    ])
  })

  it('need the chats and each chain whose tokens they name, as fresh as the specification says', () => {
    const both = ['chats', 'chain-a', 'chain-b']
    const expected = [
      ...[both.map((name) => [name, 120_000]), both.map((name) => [name, 10_800_000])],
      ...[both.map((name) => [name, 10_800_000]), both.map((name) => [name, 180_000])],
      ['chats', 'chain-a'].map((name) => [name, 180_000]),
    ]
    expect(routes.map(({ dependsOn }) => dependsOn.map(({ stage, maxAgeMs }) => [stage.name, maxAgeMs]))).to.deep.equal(
      expected,
    )
  })

  it('say of every field of their answers when it is known and what it is', () => {
    for (const { pattern, schema } of routes) expect(undescribed(schema, pattern)).to.deep.equal([])
  })

  it('show versions of a call: when the one shown was known is no input of a model', () => {
    const { knownAt, publishedAt, calledAt } = liveCall.schema.shape
    const classes = [knownAt, publishedAt, calledAt].map((field) => field.meta()?.availability)
    expect(classes).to.deep.equal(['now', 'now', 'signal'])
  })

  it('ask nothing of a chain that is not there', () => {
    const alone = calls.routesOf([{ stage: chainBStage, called: calledB }, chatsOver(createFixedCallsQueries())])
    expect(alone.map(({ pattern }) => pattern)).to.not.include('/v1/rh/token/:addr/precall')
    for (const { dependsOn } of alone)
      expect(dependsOn.map(({ stage }) => stage.name)).to.deep.equal(['chats', 'chain-b'])
    const [live] = alone
    expect(live?.params.chain).to.deep.include({ values: ['chainB'] })
  })
})
