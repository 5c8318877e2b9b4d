import { expect } from 'chai'
import { calls } from '../../../api/calls/product.ts'
import { liveCall } from '../../../api/calls/resources/live-call.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { calledB, chatsOver, createFixedCallsQueries } from '../../support/calls/fixed-queries.ts'
import { apiChains } from '../../support/payments/paid-routes.ts'
import { undescribed } from '../undescribed.ts'

describe('the routes of calls', () => {
  const routes = calls.routesOf(apiChains)

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
