import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'chai'
import { createSharedSchemas, type JsonSchema } from '../../../api/documents/json-schema.ts'
import type { Operation } from '../../../api/documents/openapi.ts'
import { formatUsd } from '../../../api/payments/offers/format-usd.ts'
import { routeIdOf } from '../../../api/route.ts'
import { createCompiler } from '../../support/answer-check.ts'
import { paidRoutes } from '../../support/payments/paid-routes.ts'
import { edgeOfTests } from '../edge.ts'
import { documentsOf } from './documents-of.ts'
import { toyRoute } from './toy-route.ts'

const pathOf = (route: (typeof paidRoutes)[number]) => routeIdOf(route).slice('GET '.length)

const exampleOf = ({ responses }: Operation): unknown =>
  (responses[200] as { content: { 'application/json': { example?: unknown } } }).content['application/json'].example

describe('the OpenAPI document', () => {
  let document: Awaited<ReturnType<typeof documentsOf>>['document']
  before(async () => {
    document = (await documentsOf()).document
  })
  const operationOf = (path: string) => document.paths[path]?.get as Operation

  it('is one of OpenAPI 3.1, and every schema in it is a JSON Schema', () => {
    const metaschema = JSON.parse(
      readFileSync(new URL('../../fixtures/openapi-3.1-schema.json', import.meta.url), 'utf8'),
    ) as object
    const ajv = new Ajv2020({ strict: false })
    addFormats.default(ajv)
    ajv.addFormat('media-range', true)
    const validate = ajv.compile(metaschema)
    expect(validate(document), JSON.stringify(validate.errors)).to.equal(true)
    expect(validate({ ...document, paths: { 'no-slash': {} } })).to.equal(false)
    for (const [name, schema] of Object.entries(document.components.schemas))
      expect(ajv.validateSchema(schema), name).to.equal(true)
    expect(document.info).to.include({ version: '1.2.0' })
    expect(document.openapi).to.equal('3.1.0')
  })

  it('has every paid route with its price, its tool, its alias and how old its data may be', () => {
    for (const route of paidRoutes) {
      const operation = operationOf(pathOf(route))
      const amount = formatUsd(route.priceUsdMicros)
      expect(operation.operationId).to.equal(route.tool)
      expect(operation['x-payment-info']).to.deep.equal({
        price: { mode: 'fixed', currency: 'USD', amount },
        protocols: [{ x402: {} }],
      })
      expect(operation['x-aliases']).to.deep.equal([pathOf(route).replace('/v1', '')])
      expect(operation['x-freshness']).to.deep.equal(
        route.dependsOn.map(({ stage, maxAgeMs }) => ({ data: stage.name, maxAgeSec: maxAgeMs / 1000 })),
      )
      expect(operation.security).to.deep.equal([{ x402: [] }])
    }
  })

  it('lists the refusals of a route by status, those of its path only where it has one', () => {
    const statusesOf = (path: string) => Object.keys(operationOf(path).responses)
    expect(statusesOf('/v1/rh/bursts/live')).to.deep.equal(['200', '400', '402', '500', '503'])
    expect(statusesOf('/v1/rh/pools/{id}/flow')).to.deep.equal(['200', '400', '402', '404', '500', '503'])
    expect(statusesOf('/v1/health')).to.deep.equal(['200', '429', '500'])
  })

  it('says of each parameter its bounds and its default', () => {
    const parametersOf = (path: string) => operationOf(path).parameters as readonly JsonSchema[]
    expect(parametersOf('/v1/rh/bursts/live')[0]).to.deep.equal({
      ...{
        name: 'minutes',
        in: 'query',
        required: false,
        description: 'how far to look back for bursts; a fraction is floored',
      },
      schema: { type: 'number', minimum: 1, maximum: 240, default: 60 },
    })
  })

  it('shows of every paid route an answer that the route could give, to the last field', () => {
    const compile = createCompiler(document)
    for (const route of paidRoutes) {
      const example = exampleOf(operationOf(pathOf(route)))
      expect(example, route.pattern).to.be.an('object')
      route.schema.parse(example)
      const pointer = `/paths/${pathOf(route).replaceAll('/', '~1')}/get/responses/200/content/application~1json/schema`
      const validate = compile(pointer)
      expect(validate(example), `${route.pattern} ${JSON.stringify(validate.errors)}`).to.equal(true)
      expect(validate({}), route.pattern).to.equal(false)
    }
    expect(exampleOf(operationOf('/v1/sample'))).to.have.keys(
      ...['schemaVersion', 'generatedAt', 'ageSec', 'delayedMin', 'chainA', 'chainB'],
    )
  })

  it('leaves objects open, so that a field can be added', () => {
    expect(JSON.stringify(document)).to.not.contain('"additionalProperties":false')
  })

  it('has a route that it has never heard of, by its value alone', async () => {
    const { document: told } = await documentsOf([...paidRoutes, toyRoute])
    const operation = told.paths['/v1/toy/{id}/things']?.get as Operation
    expect(operation).to.deep.include({ operationId: 'toy_things', 'x-aliases': ['/toy/{id}/things'] })
    expect(told.components.schemas).to.include.keys('ToyThingsAnswer', 'toyThing')
    expect(JSON.stringify(operation.responses[503])).to.contain('stream_disabled')
    expect(exampleOf(operation)).to.deep.equal({ things: [{ size: 2 }] })
  })

  it('has a route without an example', async () => {
    const { example: _, ...without } = toyRoute
    const { document: told } = await documentsOf([without])
    expect(exampleOf(told.paths['/v1/toy/{id}/things']?.get as Operation)).to.equal(undefined)
  })

  it('does not let two shapes share a name', () => {
    const schemas = createSharedSchemas()
    schemas.share('one', { type: 'string' })
    schemas.share('one', { type: 'string' })
    expect(() => schemas.share('one', { type: 'number' })).to.throw('two different schemas have the name one')
  })

  describe('as it is served', () => {
    const edge = edgeOfTests()

    it('is the same at both paths, and who has it is told so', async () => {
      const [first, second] = await Promise.all(['/v1/openapi.json', '/openapi.json'].map((path) => edge.get(path)))
      const etag = first?.headers.get('etag') ?? ''
      expect(etag).to.match(/^"\w{32}"$/)
      expect(await first?.text()).to.equal(await second?.text())
      const again = await edge.get('/openapi.json', { headers: { 'If-None-Match': etag } })
      expect([again.status, await again.text()]).to.deep.equal([304, ''])
    })
  })
})
