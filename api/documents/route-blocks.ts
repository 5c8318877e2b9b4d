/** Describes a route as blocks, from its operation in the OpenAPI document. */
import { exampleValuesOf } from '../example.ts'
import { formatUsd } from '../payments/offers/format-usd.ts'
import type { Route } from '../route.ts'
import type { Block } from './blocks.ts'
import type { FieldEntry } from './dictionary.ts'
import type { fieldsOfRoutes } from './fields.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Described, OpenApi, Operation } from './openapi.ts'
import { errorsOf, freeErrors, pathOf } from './operations.ts'
import { howToPay, payCodeOf } from './pay-code.ts'

/**
 * A route as the pages show it. `name`: the name of its page, such as `rh_bursts_live`. `examplePath`: the path of a
 * request that buys an answer, or null if the route sells none.
 */
export type Shown = Readonly<{
  name: string
  path: string
  examplePath: string | null
  price: string
  text: string
  errors: readonly string[]
}>

const nameOf = (path: string): string => anchorOf(path.replace('/v1/', '')).replace(/-/g, '_').toLowerCase()

export function shownRoutes({ routes, free, stream }: Described): readonly Shown[] {
  return [
    ...routes.map((route) => ({
      ...{ name: route.tool, path: pathOf(route), examplePath: examplePathOf(route) },
      ...{ price: `${formatUsd(route.priceUsdMicros)} USD`, text: route.description, errors: errorsOf(route) },
    })),
    ...free.map(({ patterns: [path], tool, description: text }) => ({
      ...{ name: tool ?? nameOf(path), path, examplePath: null, price: 'free', text, errors: freeErrors },
    })),
    ...(stream
      ? [
          {
            ...{ name: 'stream', path: stream.patterns[0], examplePath: null, price: 'with a pass' },
            ...{ text: stream.description, errors: stream.refusals },
          },
        ]
      : []),
  ]
}

/** Returns the path with the example's values. Other parameters have defaults, so the example leaves them out. */
function examplePathOf(route: Route): string {
  const values = exampleValuesOf(route.params)
  return pathOf(route).replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values[name])))
}

/** Returns how to buy an answer of the route, with code. Returns nothing for a route that sells none. */
export function payBlocksOf({ path, examplePath, price }: Shown, publicBaseUrl: string): readonly Block[] {
  if (examplePath === null) return []
  const isExample = path === examplePath ? '' : ' The URL has an example: put your own value into the path.'
  return [
    { heading: 'How to pay', level: 2, id: 'pay' },
    { text: `The price is ${price}. ${howToPay}${isExample}` },
    ...payCodeOf(`${publicBaseUrl}${examplePath}`),
  ]
}

type Fields = ReturnType<typeof fieldsOfRoutes>

/** `level`: the level of the headings. */
type Around = Readonly<{ document: OpenApi; fields: Fields; level: 2 | 3 }>

/** Returns the parameters, the fields, an example and the errors of a route. */
export function blocksOf({ path, errors }: Shown, { document, fields, level }: Around): readonly Block[] {
  const { get: operation } = document.paths[path] as { get: Operation }
  const parameters = parametersIn(operation, document)
  const own = fields.byPath.get(path) ?? []
  const example = exampleOf(operation)
  return [
    ...(operation.description === undefined ? [] : [{ text: String(operation.description), isSoft: true }]),
    ...(parameters.length === 0 ? [] : [{ heading: 'Parameters', level }, parameterTable(parameters)]),
    ...(own.length === 0
      ? eventBlocks(fields, level)
      : [{ heading: 'Answer', level }, fieldTable(own, fields.resources)]),
    ...(example === undefined ? [] : [{ summary: 'An example', code: JSON.stringify(example, null, 2) }]),
    { text: `Errors: ${errors.map(errorLink).join(', ')}` },
  ]
}

/** Returns the parameters of a route. Those that several routes share are looked up by their references. */
const parametersIn = ({ parameters = [] }: Operation, { components }: OpenApi): readonly JsonSchema[] =>
  (parameters as readonly JsonSchema[]).map((parameter) => {
    const name = String(parameter.$ref ?? '').replace('#/components/parameters/', '')
    return (components.parameters as Readonly<Record<string, JsonSchema>>)[name] ?? parameter
  })

/** Returns the fields of each object that several routes use. */
export const objectBlocks = ({ resources }: Pick<Fields, 'resources'>): readonly Block[] =>
  Object.entries(resources).flatMap(([name, fields]) => [
    { heading: name, level: 3, id: anchorOf(name) } as const,
    fieldTable(fields, resources),
  ])

const eventBlocks = ({ events, resources }: Fields, level: 2 | 3): readonly Block[] =>
  Object.entries(events).flatMap(([name, { description, fields }]) => [
    { heading: `Event \`${name}\``, level },
    { text: description },
    fieldTable(fields, resources),
  ])

function exampleOf({ responses }: Operation): unknown {
  const { content } = responses[200] as Readonly<{ content: Readonly<Record<string, { example?: unknown }>> }>
  return content['application/json']?.example
}

const parameterTable = (parameters: readonly JsonSchema[]): Block => ({
  heads: ['Name', 'Type', 'Default', 'What'],
  rows: parameters.map(({ name, in: place, description, schema }) => {
    const { type, minimum, maximum, default: byDefault = '', enum: values, pattern } = schema as JsonSchema
    const bounds = minimum === undefined ? '' : ` ${minimum} to ${maximum}`
    const choice = Array.isArray(values) ? `: ${values.join(', ')}` : ''
    const written = pattern === undefined ? '' : ` \`${String(pattern)}\``
    return [
      `\`${String(name)}\``,
      `${String(type)}${bounds}${choice}${written}`,
      placeOrDefault(String(place), String(byDefault)),
      String(description),
    ]
  }),
})

function placeOrDefault(place: string, byDefault: string): string {
  if (place === 'path') return 'in the path'
  return place === 'header' ? 'a request header' : byDefault
}

type Resources = Readonly<Record<string, readonly FieldEntry[]>>

const fieldTable = (fields: readonly FieldEntry[], resources: Resources): Block => ({
  heads: ['Field', 'Type', 'Known', 'What'],
  rows: fields.map((field) => [
    `\`${field.name}\``,
    `${typeText(field, resources)}${field.nullable ? ' or null' : ''}${field.optional ? ', not always' : ''}${rangeText(field)}`,
    field.availability,
    field.description,
  ]),
})

/** Links the name of a resource to its fields. */
function typeText({ type }: FieldEntry, resources: Resources): string {
  const name = type.split(' ').at(-1) ?? ''
  return name in resources ? `${type.slice(0, -name.length)}[${name}](/docs#${anchorOf(name)})` : type
}

function rangeText({ minimum, exclusiveMinimum, maximum, values }: FieldEntry): string {
  if (values) return `: ${values.join(', ')}`
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`
  if (exclusiveMinimum !== undefined) return `, above ${exclusiveMinimum}`
  return minimum === undefined ? '' : `, at least ${minimum}`
}

export const errorLink = (code: string): string => `[${code}](/docs/errors/${code})`

export const anchorOf = (text: string): string => text.replace(/[^a-zA-Z0-9]+/g, '-').replace(/^-|-$/g, '') || 'root'
