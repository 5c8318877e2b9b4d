import { expect } from 'chai'
import { createDictionary, type Dictionary, type FieldEntry } from '../../../api/documents/dictionary.ts'
import type { JsonSchema } from '../../../api/documents/json-schema.ts'
import type { OpenApi, Operation } from '../../../api/documents/openapi.ts'
import { errorCodes, statusOfError } from '../../../api/sale/error-codes.ts'
import { documentsOf } from '../documents/documents-of.ts'
import { addedParams, decided, extras } from './readings.ts'
import { errors, free, paid } from './routes.ts'
import { objects } from './tables.ts'

type Row = Readonly<{
  name: string
  optional: boolean
  type: string
  nullable: boolean
  availability: string | null
  bounds: string | null
}>

const rowsOf = (table: string): readonly Row[] =>
  table
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const words = line.split(' ')
      const classAt = words.findIndex((word, index) => index > 1 && /^(-|now|signal(\+\w+)?)$/.test(word))
      const [first = ''] = words
      const type = words.slice(1, classAt).join(' ')
      const availability = words[classAt] ?? '-'
      return {
        ...{ name: first.replace(/\?$/, ''), optional: first.endsWith('?') },
        ...{ type: type.replace(/\|null$/, ''), nullable: type.endsWith('|null') },
        availability: availability === '-' ? null : availability,
        bounds: words[classAt + 1] ?? null,
      }
    })

/** Returns the type in the notation of the tables. */
const told = ({ type, nullable }: Pick<FieldEntry, 'type' | 'nullable'>): string => `${type}${nullable ? '|null' : ''}`

const boundsOf = ({ minimum, maximum, values }: Pick<FieldEntry, 'minimum' | 'maximum' | 'values'>): string =>
  values ? [...values].map(String).sort().join() : `${minimum}..${maximum}`

const sorted = (bounds: string): string => (bounds.includes('..') ? bounds : bounds.split(',').sort().join())

/** Returns the differences between a field and its row in the table. */
function faultsOf(field: FieldEntry, row: Row, type: string): readonly string[] {
  const { availability, bounds } = row
  const faults: readonly (readonly [boolean, string])[] = [
    [row.type !== 'any' && told(field) !== type, `${told(field)}, not ${type}`],
    [field.optional !== row.optional, `${field.optional ? '' : 'not '}optional`],
    [availability !== null && field.availability !== availability, `known ${field.availability}, not ${availability}`],
    [bounds !== null && boundsOf(field) !== sorted(bounds), `in ${boundsOf(field)}, not ${bounds}`],
  ]
  return faults.filter(([isFault]) => isFault).map(([, text]) => text)
}

/**
 * Returns the differences between an object or answer and its table. Both missing and additional fields are
 * found.
 */
function differences(of: string, table: string, fields: readonly FieldEntry[]): readonly string[] {
  const rows = rowsOf(table)
  const named = new Map(fields.map((field) => [field.name, field]))
  const found = rows.flatMap((row) => {
    const where = `${of}.${row.name}`
    const field = named.get(row.name)
    return field
      ? faultsOf(field, row, decided[where]?.is ?? told(row)).map((fault) => `${where} is ${fault}`)
      : [`${where} is missing`]
  })
  const known = new Set(rows.map(({ name }) => name))
  const added = (extras[of] ?? []).map((name) => name.replace(/\.\*$/, ''))
  const isAdded = (name: string) =>
    added.some((one) => name === one || name.startsWith(`${one}.`) || name.startsWith(`${one}[]`))
  const unknown = fields.filter(({ name }) => !known.has(name) && !isAdded(name))
  const gone = added.filter((name) => !named.has(name))
  return [
    ...found,
    ...unknown.map(({ name }) => `${of}.${name} is in no table`),
    ...gone.map((name) => `${of}.${name} is said to be added and is not there`),
  ]
}

/** Whether the operation answers with rows. The stream has events, and the signing keys have a format of their own. */
const hasRows = (operation: Operation): boolean =>
  !('x-events' in operation) && 'application/json' in ((operation.responses[200] as { content?: object }).content ?? {})

/** The parameters of the route itself. Those that all routes share are request headers. */
const own = ({ parameters }: Operation): readonly JsonSchema[] =>
  (parameters as readonly JsonSchema[]).filter(({ $ref }) => $ref === undefined)

describe('the specification', () => {
  let document: OpenApi
  let dictionary: Dictionary
  const operationOf = (path: string): Operation | undefined => document.paths[path]?.get
  const fieldsOf = (operation: Operation): readonly FieldEntry[] => {
    const { content } = operation.responses[200] as { content: { 'application/json': { schema: JsonSchema } } }
    return dictionary.fieldsOf(content['application/json'].schema)
  }

  before(async () => {
    document = (await documentsOf()).document
    dictionary = createDictionary(document)
    for (const { get } of Object.values(document.paths)) if (hasRows(get)) fieldsOf(get)
  })

  it('knows every paid route, and each costs what it says and is as fresh', () => {
    const operations = Object.entries(document.paths).filter(([, { get }]) => 'x-payment-info' in get)
    expect(operations.length).to.be.greaterThan(12)
    for (const [path, { get }] of operations) {
      const { price } = get['x-payment-info'] as { price: { amount: string } }
      expect(Number(price.amount), path).to.equal(paid[path]?.usd)
      const ages = get['x-freshness'] as readonly Readonly<{ maxAgeSec: number }>[]
      expect(new Set(ages.map(({ maxAgeSec }) => maxAgeSec)), path).to.deep.equal(
        new Set(paid[path]?.maxAgeSec === undefined ? [] : [paid[path].maxAgeSec]),
      )
    }
  })

  it('gives every parameter its type, its bounds and its default, and there is no other', () => {
    for (const [path, { params }] of Object.entries(paid)) {
      const operation = operationOf(path)
      if (!operation) continue
      const parameters = own(operation).map(({ name, schema }) => {
        const { type, minimum, maximum, enum: values, pattern, default: byDefault } = schema as JsonSchema
        const bounds = Array.isArray(values) ? values.join() : (pattern ?? `${minimum}..${maximum}`)
        return [name, type, bounds, ...(byDefault === undefined ? [] : [`=${byDefault}`])].join(' ')
      })
      const expected = params.split('\n').map((line) => line.trim())
      const added = path === '/v1/stream/pass' ? [] : addedParams
      expect(parameters, path).to.deep.equal([...expected.filter((line) => line !== ''), ...added])
    }
  })

  it('gives every field of an answer its type, and there is no other but what is added on purpose', () => {
    const found = Object.entries(paid).flatMap(([path, { answer }]) => {
      const operation = operationOf(path)
      return operation ? differences(path, answer, fieldsOf(operation)) : []
    })
    expect(found).to.deep.equal([])
  })

  it('gives every field of an object its type, its bounds and its class, and there is no other', () => {
    const found = Object.entries(dictionary.resources).flatMap(([name, fields]) =>
      differences(name, objects[name] ?? '', fields),
    )
    expect(found).to.deep.equal([])
  })

  it('gives the free routes their fields', () => {
    const found = Object.entries(free).flatMap(([path, table]) => {
      const operation = operationOf(path)
      return operation ? differences(path, table, fieldsOf(operation)) : [`${path} is missing`]
    })
    expect(found).to.deep.equal([])
    for (const path of ['/v1/openapi.json', '/openapi.json', '/v1/fields', '/health'])
      expect(document.paths).to.have.property(path)
  })

  it('gives every error its status', () => {
    for (const [status, code] of errors) {
      const known = errorCodes.find((one) => one === code)
      expect(known && statusOfError(known), code).to.equal(status)
    }
  })

  it('would be seen to be broken: another type, class, bound or nullability, a field too many or too few', () => {
    const field: FieldEntry = {
      ...{ name: 'a', type: 'number', nullable: false, optional: false, availability: 'signal', description: '' },
      ...{ minimum: 0, maximum: 1 },
    }
    const table = 'a number signal 0..1'
    expect(differences('toy', table, [field])).to.deep.equal([])
    const broken: readonly (readonly [Partial<FieldEntry>, RegExp])[] = [
      [{ type: 'integer' }, /is integer, not number/],
      [{ nullable: true }, /is number\|null, not number/],
      [{ availability: 'now' }, /is known now, not signal/],
      [{ maximum: 2 }, /is in 0\.\.2/],
      [{ optional: true }, /is optional/],
      [{ name: 'b' }, /a is missing/],
    ]
    for (const [change, text] of broken)
      expect(differences('toy', table, [{ ...field, ...change }]).join('\n')).to.match(text)
    expect(differences('toy', table, [field, { ...field, name: 'b' }])).to.deep.equal(['toy.b is in no table'])
  })
})
