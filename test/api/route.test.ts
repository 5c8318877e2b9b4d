import { expect } from 'chai'
import { z } from 'zod'
import { described } from '../../api/resource.ts'
import { coinPriceNeed, personalRoute, route, routeIdOf, stageCutOf, stagesFor, stagesOf } from '../../api/route.ts'
import { asOfParam } from '../../api/sale/params.ts'
import { refuse } from '../../api/sale/refusals.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import { chainBStage } from '../../schemas/chain-b/stage.ts'
import { fixedCut } from '../support/fixed-queries.ts'

const complete = {
  pattern: '/v1/toy/:id/things',
  tool: 'toy_id_things',
  description: 'Things.',
  priceUsdMicros: 10_000,
  dependsOn: [{ stage: chainAStage, newest: 'the newest toy', maxAgeMs: 1000 }],
  needs: [],
  history: { windowMs: 3_600_000, lookBackMs: 0 },
  params: {},
  schema: z.strictObject({ things: described('now', z.int(), 'How many.') }),
  answer: async () => ({ things: 1 }),
} as const

/**
 * This function is only for the compiler. `tsc` fails if a line below a `@ts-expect-error` mark has no error.
 */
function incomplete(): void {
  const { pattern: _pattern, ...withoutPattern } = complete
  // @ts-expect-error without a pattern
  route(withoutPattern)
  const { description: _description, ...withoutDescription } = complete
  // @ts-expect-error without a description
  route(withoutDescription)
  const { priceUsdMicros: _price, ...withoutPrice } = complete
  // @ts-expect-error without a price
  route(withoutPrice)
  const { dependsOn: _dependsOn, ...withoutDependencies } = complete
  // @ts-expect-error without its dependencies
  route(withoutDependencies)
  // @ts-expect-error without a stage to depend on
  route({ ...complete, dependsOn: [] })
  // @ts-expect-error with a dependency without a maximum age
  route({ ...complete, dependsOn: [{ stage: chainAStage, newest: 'the newest toy' }] })
  const { needs: _needs, ...withoutNeeds } = complete
  // @ts-expect-error without its needs
  route(withoutNeeds)
  const { history: _history, ...withoutHistory } = complete
  // @ts-expect-error without its history
  route(withoutHistory)
  const { params: _params, ...withoutParams } = complete
  // @ts-expect-error without parameters
  route(withoutParams)
  // @ts-expect-error with a path parameter without its letter case
  route({ ...complete, params: { id: { in: 'path', type: 'string', pattern: /./, example: '', description: '' } } })
  const { schema: _schema, ...withoutSchema } = complete
  // @ts-expect-error without a schema
  route(withoutSchema)
  const { answer: _answer, ...withoutAnswer } = complete
  // @ts-expect-error without an answer
  route(withoutAnswer)
  // @ts-expect-error with an answer that does not match the schema
  route({ ...complete, answer: async () => ({ things: 'many' }) })
  // @ts-expect-error with an answer that lacks a field
  route({ ...complete, answer: async () => ({}) })
}

const personal = {
  pattern: '/v1/toy/pass',
  tool: 'toy_pass',
  description: 'A pass.',
  priceUsdMicros: 10_000,
  isPersonal: true,
  dependsOn: [],
  needs: [],
  params: {},
  schema: z.strictObject({ payment: described('now', z.string(), 'Which.') }),
  refusal: () => null,
  issue: (_: object, { paymentId }: { paymentId: string }) => ({ payment: paymentId }),
} as const

function incompletePersonal(): void {
  const { refusal: _refusal, ...withoutRefusal } = personal
  // @ts-expect-error without a refusal
  personalRoute(withoutRefusal)
  const { issue: _issue, ...withoutIssue } = personal
  // @ts-expect-error without an issue function
  personalRoute(withoutIssue)
  // @ts-expect-error with a body that does not match the schema
  personalRoute({ ...personal, issue: () => ({ payment: 1 }) })
  // @ts-expect-error with a dependency on a stage
  personalRoute({ ...personal, dependsOn: complete.dependsOn })
}

describe('a route', () => {
  it('is a value, complete or not one at all', () => {
    expect(route(complete)).to.deep.equal({ ...complete, params: { asOf: asOfParam } })
    expect(route({ ...complete, answer: async () => refuse('not_tracked', 'no such thing') })).to.be.an('object')
    expect(personalRoute(personal)).to.equal(personal)
    expect([incomplete, incompletePersonal]).to.have.length(2)
  })

  it('is named by its method and its pattern, parameters in braces', () => {
    expect(routeIdOf(complete)).to.equal('GET /v1/toy/{id}/things')
  })

  it('reads only the stages that its cut covers', () => {
    const cut = { atMs: fixedCut.atMs, stages: { [chainAStage.name]: fixedCut } }
    expect(stageCutOf(cut, chainAStage)).to.equal(fixedCut)
    expect(() => stageCutOf(cut, { name: 'chain-z' })).to.throw('does not cover stage chain-z')
  })

  it('is made from what its parameters need', () => {
    const [always] = complete.dependsOn
    const sometimes = {
      ...always,
      stage: chainBStage,
      isFor: ({ chain }: Readonly<Record<string, unknown>>) => chain === 'b',
    }
    const namesFor = (chain: string) => stagesFor({ dependsOn: [always, sometimes] }, { chain }).map(({ name }) => name)
    expect([namesFor('a'), namesFor('b')]).to.deep.equal([['chain-a'], ['chain-a', 'chain-b']])
    expect(stagesOf({ dependsOn: [always, sometimes] })).to.have.length(2)
  })

  it('may need the price of a coin, which is there once a feed has spoken', () => {
    const need = coinPriceNeed(chainAStage, 'no price')
    const at = (stageCut: typeof fixedCut) => ({ atMs: stageCut.atMs, stages: { [chainAStage.name]: stageCut } })
    expect(need.isMet(at(fixedCut))).to.equal(true)
    expect(need.isMet(at({ ...fixedCut, coinPrice: null }))).to.equal(false)
  })
})
