import { expect } from 'chai'
import { z } from 'zod'
import { requestIdOf } from '../../api/payments/payment.ts'
import { type Route, routeIdOf } from '../../api/route.ts'
import { parseParams } from '../../api/sale/params.ts'
import { chainARoutes, paidRoutes } from '../support/payments/paid-routes.ts'
import { paid } from './spec/routes.ts'
import { undescribed } from './undescribed.ts'

/**
 * Returns the identifiers in the path of a route. An identifier is a mint or a wallet, or a hex number. The
 * hex is in upper case, because the case of hex must not matter.
 */
const idsOf = ({ params }: Pick<Route, 'params'>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(params).flatMap(([name, param]) => {
      if (param.in !== 'path') return []
      const isHex = param.letterCase !== 'asGiven'
      return [
        [
          name,
          isHex
            ? `0x${(name === 'id' ? 'B2' : 'A1').repeat(name === 'id' ? 32 : 20)}`
            : 'So11111111111111111111111111111111111111112',
        ],
      ]
    }),
  )

/**
 * Returns the name of a parameter and its value in the ledger. The value is the default or the identifier in
 * lower case.
 */
function defaultOf([name = '', type, ...rest]: readonly string[], path: Readonly<Record<string, string>>) {
  const id = path[name]
  if (id !== undefined) return [[name, id.startsWith('0x') ? id.toLowerCase() : id]] as const
  // The specification gives no defaults for `since` and `chain`. The default of `since` is one day before the
  // answer. The default of `chain` is every chain.
  if (name === 'since') return [[name, -86_400_000]] as const
  const byDefault = rest.find((word) => word.startsWith('='))?.slice(1) ?? ''
  return name === '' ? [] : ([[name, type === 'number' ? Number(byDefault) : byDefault]] as const)
}

describe('the paid routes', () => {
  it('are those of the specification, at its prices and in its order', () => {
    const inUsd = paidRoutes.map((route) => [routeIdOf(route), route.priceUsdMicros / 1_000_000])
    expect(inUsd).to.deep.equal(Object.entries(paid).map(([path, { usd }]) => [`GET ${path}`, usd]))
  })

  it('are named in the ledger by their parameters after defaults, so that what was sold is found again', () => {
    for (const route of paidRoutes) {
      const path = idsOf(route)
      const parsed = parseParams(route.params, { query: {}, path })
      if ('refusal' in parsed) expect.fail(parsed.refusal.error)
      const specified = paid[routeIdOf(route).slice(4)]?.params ?? ''
      const named = specified.split('\n').flatMap((line) => defaultOf(line.trim().split(' '), path))
      const byName = named.sort(([left], [right]) => (left < right ? -1 : 1))
      expect(requestIdOf(routeIdOf(route), parsed.values)).to.equal(`${routeIdOf(route)}?${JSON.stringify(byName)}`)
    }
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

  it('sell no older data of chain A than the specification says, joint ones no older data of either chain', () => {
    for (const route of chainARoutes) {
      const isJoint = route.pattern === '/v1/snapshot' || route.pattern === '/v1/desk/trades'
      const joint = paidRoutes.find(({ pattern }) => pattern === route.pattern) ?? route
      const maxAgeMs = (paid[routeIdOf(route).slice(4)]?.maxAgeSec ?? 0) * 1000
      expect(
        joint.dependsOn.map((one) => [one.stage.name, one.maxAgeMs]),
        route.pattern,
      ).to.deep.equal((isJoint ? ['chain-a', 'chain-b'] : ['chain-a']).map((name) => [name, maxAgeMs]))
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
