import { expect } from 'chai'
import { z } from 'zod'
import { createDictionary, type FieldEntry } from '../../../api/documents/dictionary.ts'
import { createSharedSchemas, type JsonSchema } from '../../../api/documents/json-schema.ts'
import { documentsOf } from './documents-of.ts'

const text = { type: 'string' }
const whole = { type: 'integer' }

describe('the published schema', () => {
  const cases: readonly (readonly [says: string, schema: z.ZodType, published: JsonSchema])[] = [
    ['of a whole number has only bounds that the service sets', z.int(), whole],
    ['of a number has its bounds', z.int().min(3).max(9), { type: 'integer', minimum: 3, maximum: 9 }],
    ['of a value or null has both types', z.string().nullable(), { type: ['string', 'null'] }],
    [
      'of a choice or null has null in the choice',
      z.enum(['a', 'b']).nullable(),
      { type: ['string', 'null'], enum: ['a', 'b', null] },
    ],
    ['of a fixed whole number has its type', z.literal(3), { type: 'integer', const: 3 }],
    ['of a fixed fraction has its type', z.literal(2.5), { type: 'number', const: 2.5 }],
    [
      'of a fixed text or null has two forms',
      z.literal('x').nullable(),
      { anyOf: [{ type: 'string', const: 'x' }, { type: 'null' }] },
    ],
    [
      'of an object or null stays open',
      z.strictObject({ a: z.string() }).nullable(),
      { type: ['object', 'null'], properties: { a: text }, required: ['a'] },
    ],
    [
      'of a value or null keeps its texts',
      z.int().nullable().meta({ description: 'n' }),
      {
        type: ['integer', 'null'],
        description: 'n',
      },
    ],
    [
      'of a field has its class',
      z.string().meta({ availability: 'now', description: 'd' }),
      { type: 'string', 'x-availability': 'now', description: 'd' },
    ],
    [
      'of a pair has open objects, too',
      z.tuple([z.int(), z.strictObject({ b: z.int() })]),
      {
        ...{ type: 'array', minItems: 2, maxItems: 2 },
        prefixItems: [whole, { type: 'object', properties: { b: whole }, required: ['b'] }],
      },
    ],
    [
      'of an object may have fields that are named as keywords, and defaults',
      z.object({ items: z.array(z.int()).default([1]), const: z.string(), minimum: z.int() }),
      {
        type: 'object',
        properties: { items: { default: [1], type: 'array', items: whole }, const: text, minimum: whole },
        required: ['items', 'const', 'minimum'],
      },
    ],
    [
      'of a map has the schema of its values',
      z.record(z.string(), z.strictObject({ a: z.int() })),
      {
        ...{ type: 'object', propertyNames: text },
        additionalProperties: { type: 'object', properties: { a: whole }, required: ['a'] },
      },
    ],
  ]
  for (const [says, schema, published] of cases)
    it(says, () => {
      expect(createSharedSchemas().schemaOf(schema)).to.deep.equal(published)
    })

  it('of a part with a name is shared, and the shared ones are in order', () => {
    const named = (id: string) => z.strictObject({ q: z.int() }).meta({ id })
    const schemas = createSharedSchemas()
    const published = schemas.schemaOf(z.strictObject({ p: named('part'), l: z.array(named('item')).nullable() }))
    expect(published.properties).to.deep.equal({
      p: { $ref: '#/components/schemas/part' },
      l: { type: ['array', 'null'], items: { $ref: '#/components/schemas/item' } },
    })
    const shared = { type: 'object', properties: { q: whole }, required: ['q'] }
    expect(Object.entries(schemas.all())).to.deep.equal([
      ['item', shared],
      ['part', shared],
    ])
  })
})

describe('the entries of the data dictionary', () => {
  const entriesOf = (field: JsonSchema, schemas: Record<string, JsonSchema> = {}) => {
    const dictionary = createDictionary({ components: { schemas } })
    const fields = dictionary.fieldsOf({ type: 'object', required: ['f'], properties: { f: field } })
    return { fields, resources: dictionary.resources }
  }
  const entryOf = (field: JsonSchema): FieldEntry | undefined => entriesOf(field).fields[0]

  it('name the type, and whether the value may be null', () => {
    const typeOf = (field: JsonSchema) => [entryOf(field)?.type, entryOf(field)?.nullable]
    expect(typeOf({ type: ['string', 'null'] })).to.deep.equal(['string', true])
    expect(typeOf({ type: ['string', 'number'] })).to.deep.equal(['string or number', false])
    expect(typeOf({ type: ['string', 'number', 'null'] })).to.deep.equal(['string or number', true])
    expect(typeOf({ anyOf: [{ type: 'string', const: 'x' }, { type: 'null' }] })).to.deep.equal(['string', true])
    expect(typeOf({})).to.deep.equal(['any', false])
    expect(typeOf({ type: 'array' })).to.deep.equal(['array of any', false])
  })

  it('have the bounds, and the values without null', () => {
    expect(entryOf({ type: 'number', minimum: 0, exclusiveMinimum: 1, maximum: 2, pattern: 'p' })).to.include({
      ...{ minimum: 0, exclusiveMinimum: 1, maximum: 2, pattern: 'p' },
    })
    expect(entryOf({ type: ['string', 'null'], enum: ['a', null] })?.values).to.deep.equal(['a'])
    expect(entryOf({ type: 'boolean', const: false })?.values).to.deep.equal([false])
    expect(entryOf({ type: 'string', minimum: '0', maximum: null })).to.have.keys(
      ...['name', 'type', 'nullable', 'optional', 'availability', 'description'],
    )
  })

  it('of fields inside have the class and the text of the field around them, unless they have their own', () => {
    const inside = { a: { type: 'string' }, b: { type: 'string', 'x-availability': 'now', description: 'own' } }
    const field = {
      ...{ 'x-availability': 'signal', description: 'around' },
      ...{ type: 'array', items: { type: 'object', required: ['a'], properties: inside } },
    }
    const told = entriesOf(field).fields.map(({ name, availability, description, optional }) =>
      [name, availability, description, optional ? 'sometimes' : 'always'].join(' '),
    )
    expect(told).to.deep.equal(['f signal around always', 'f[].a signal around always', 'f[].b now own sometimes'])
  })

  it('of alternatives have a field that only some have as optional, and a flag without its value', () => {
    const forms = [true, false].map((isDone) => ({
      ...{ type: 'object', required: ['isDone'] },
      properties: { isDone: { type: 'boolean', const: isDone }, ...(isDone ? { at: { type: 'integer' } } : {}) },
    }))
    const { fieldsOf } = createDictionary({ components: { schemas: { one: forms[1] ?? {} } } })
    for (const keyword of ['oneOf', 'anyOf'])
      expect(
        fieldsOf({ [keyword]: [forms[0], { $ref: '#/components/schemas/one' }] }).map(({ name, optional, values }) => [
          name,
          optional,
          values,
        ]),
      ).to.deep.equal([
        ['isDone', false, undefined],
        ['at', true, undefined],
      ])
    const kinds = ['a', 'b'].map((kind) => ({ type: 'object', properties: { kind: { type: 'string', const: kind } } }))
    expect(fieldsOf({ oneOf: kinds })[0]?.values, 'a text is no flag').to.deep.equal(['b'])
  })

  it('have the resources that they name, and those that these name', () => {
    const schemas = {
      outer: {
        type: 'object',
        properties: { inner: { type: 'array', items: { $ref: '#/components/schemas/inner' } } },
      },
      inner: { type: 'object', properties: { n: { type: 'integer' } } },
    }
    const { fields, resources } = entriesOf({ $ref: '#/components/schemas/outer' }, schemas)
    expect(fields.map(({ type }) => type)).to.deep.equal(['outer'])
    expect(Object.keys(resources)).to.deep.equal(['outer', 'inner'])
    expect(resources.outer?.[0]?.type).to.equal('array of inner')
  })
})

describe('the links of the documents', () => {
  it('have one slash after the public address', async () => {
    for (const address of ['https://data.example', 'https://data.example/', 'https://data.example//']) {
      const made = await documentsOf([], address)
      const document = made.document as JsonSchema
      expect(document.externalDocs).to.deep.include({ url: 'https://data.example/docs' })
      expect(document.servers).to.deep.equal([{ url: address }])
    }
  })
})
