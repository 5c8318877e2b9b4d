import { expect } from 'chai'
import { z } from 'zod'
import { schemaOfParams } from '../../../api/sale/param-schema.ts'
import type { Params } from '../../../api/sale/params.ts'

const params = {
  id: {
    in: 'path',
    type: 'string',
    letterCase: 'lower',
    pattern: /^0x[0-9a-f]{2}$/,
    example: '0xab',
    sample: '0xab',
    description: 'a thing',
  },
  minutes: { in: 'query', type: 'number', min: 1, max: 240, default: 60, description: 'look-back' },
  limit: { in: 'query', type: 'number', min: 1, max: 9, default: 5, description: 'at most' },
  tier: { in: 'query', type: 'string', values: ['main', 'all'], default: 'main', description: 'which' },
  chain: { in: 'query', type: 'string', values: ['a', 'b'], default: null, description: 'of which' },
  asOf: { in: 'query', type: 'epochMs', default: null, description: 'when' },
} satisfies Params

describe('the schema of parameters', () => {
  const schema = schemaOfParams(params)

  it('says what requests are held to', () => {
    const { properties, required } = z.toJSONSchema(schema, { io: 'input' })
    expect(required).to.deep.equal(['id'])
    expect(properties).to.deep.equal({
      id: { type: 'string', pattern: '^0x[0-9a-f]{2}$', description: 'a thing' },
      minutes: {
        type: 'number',
        minimum: 1,
        maximum: 240,
        default: 60,
        description: 'look-back; a fraction is floored',
      },
      limit: { type: 'number', minimum: 1, maximum: 9, default: 5, description: 'at most; a fraction is floored' },
      tier: { type: 'string', enum: ['main', 'all'], default: 'main', description: 'which' },
      chain: { type: 'string', enum: ['a', 'b'], description: 'of which' },
      asOf: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'when' },
    })
  })

  it('fills in the defaults', () => {
    expect(schema.parse({ id: '0xab' })).to.deep.equal({ id: '0xab', minutes: 60, limit: 5, tier: 'main' })
  })

  for (const [name, value] of Object.entries({
    minutes: 241,
    limit: 0,
    tier: 'old',
    chain: 'c',
    asOf: 1.5,
    id: '0xzz',
    more: 1,
  }))
    it(`refuses ${name} = ${value}`, () => {
      expect(schema.safeParse({ id: '0xab', [name]: value }).success).to.equal(false)
    })
})
