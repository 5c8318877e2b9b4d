import { expect } from 'chai'
import { createDictionary, type FieldEntry } from '../../../api/documents/dictionary.ts'
import type { JsonSchema } from '../../../api/documents/json-schema.ts'
import { routeIdOf } from '../../../api/route.ts'
import { errorCodes } from '../../../api/sale/error-codes.ts'
import { paidRoutes } from '../../support/payments/paid-routes.ts'
import { documentsOf } from './documents-of.ts'
import { toyRoute } from './toy-route.ts'

type Fields = Readonly<{
  routes: readonly Readonly<{ route: string; price: number; fields: readonly FieldEntry[] }>[]
  resources: Readonly<Record<string, readonly FieldEntry[]>>
  events: Readonly<Record<string, Readonly<{ fields: readonly FieldEntry[] }>>>
  errors: readonly Readonly<{ code: string; status: number; docs: string; charged: boolean }>[]
  limits: readonly Readonly<{ of: string; perMinute: number }>[]
}>

const dictionaryOf = async (routes = paidRoutes): Promise<Fields> => {
  const { documents } = await documentsOf(routes)
  return (await documents.free.at(-1)?.answer({})) as Fields
}

describe('the data dictionary', () => {
  it('has every field of every route with its class, its type and what it is', async () => {
    const { routes, resources } = await dictionaryOf()
    const ids = routes.map(({ route }) => route)
    expect(ids).to.include.members([...paidRoutes.map(routeIdOf), 'GET /v1/sample', 'GET /', 'GET /v1/fields'])
    const entries = [...routes.flatMap(({ fields }) => fields), ...Object.values(resources).flat()]
    expect(entries.length).to.be.greaterThan(250)
    for (const { name, availability, type, description } of entries) {
      expect(availability, name).to.match(/^(signal|signal\+seconds|signal\+30m|now)$/)
      expect(type, name).to.not.contain('undefined')
      expect(description, name).to.not.equal('')
    }
    for (const { type } of entries) {
      const named = /^(?:array of )?([a-z]+[A-Z]\w*)$/.exec(type)?.[1]
      if (named !== undefined) expect(resources).to.have.property(named)
    }
  })

  it('tells what is null until it is known, what is only there sometimes, and the bounds', async () => {
    const { routes, resources } = await dictionaryOf()
    const field = (name: string, of: readonly FieldEntry[] | undefined) => of?.find((one) => one.name === name)
    expect(field('buyers', resources.rhBurst)).to.include({
      ...{ type: 'integer', nullable: true, optional: false, availability: 'signal+seconds', minimum: 0 },
    })
    expect(field('lp', resources.rhBurst)).to.include({ type: 'rhLp', nullable: true })
    expect(field('ret30m', resources.rhOutcome)).to.include({ optional: true, availability: 'signal+30m' })
    expect(field('scored', resources.rhOutcome)).to.include({ type: 'boolean', optional: false })
    expect(field('byRule.why', resources.rhOutcome)?.values).to.include('burst-stall')
    const live = routes.find(({ route }) => route === 'GET /v1/rh/bursts/live')?.fields
    expect(field('latest', live)).to.include({ type: 'rhBurst', nullable: true, optional: true })
    expect(field('ethUsd', live)).to.include({ exclusiveMinimum: 0 })
  })

  it('has every code with its page, and the limits', async () => {
    const { errors, limits } = await dictionaryOf()
    expect(errors.map(({ code }) => code)).to.deep.equal(errorCodes)
    for (const { code, docs, charged } of errors)
      expect([docs, charged]).to.deep.equal([`https://data.example/docs/errors/${code}`, false])
    expect(limits).to.deep.equal([
      { of: 'GET /v1/sample', perMinute: 30 },
      { of: 'the other free routes together', perMinute: 120 },
      { of: 'POST /mcp', perMinute: 60 },
    ])
  })

  it('has what the stream pushes', async () => {
    const { events } = await dictionaryOf()
    expect(events).to.include.keys('burst', 'graduation', 'restated', 'withdrawn', 'hello', 'heartbeat', 'bye')
    expect(events.burst?.fields.map(({ name }) => name)).to.include.members(['type', 'chain', 'id', 'at', 'row'])
  })

  it('has a route that it has never heard of', async () => {
    const { routes, resources } = await dictionaryOf([...paidRoutes, toyRoute])
    expect(routes.find(({ route }) => route === 'GET /v1/toy/{id}/things')).to.include({ price: 0.123 })
    expect(resources.toyThing).to.have.lengthOf(1)
  })

  it('names lists of pairs and maps by what they hold', () => {
    const schema: JsonSchema = {
      type: 'object',
      required: ['pairs'],
      properties: {
        pairs: { type: 'array', items: { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'number' }] } },
        sums: { type: 'object', additionalProperties: { type: 'object', properties: { n: { type: 'integer' } } } },
      },
    }
    const { fieldsOf } = createDictionary({ components: { schemas: {} } })
    expect(fieldsOf(schema).map(({ name, type }) => [name, type])).to.deep.equal([
      ['pairs', 'array of [integer, number]'],
      ['sums', 'map of object'],
      ['sums.n', 'integer'],
    ])
  })
})
