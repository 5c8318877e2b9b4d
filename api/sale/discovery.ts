/**
 * Describes how to call a paid route and what it answers. The description is for catalogues, in the form of
 * x402's extension bazaar. Clients send it back with every payment, so it is kept short.
 */
import { declareDiscoveryExtension } from '@x402/extensions/bazaar'
import { z } from 'zod'
import { exampleValuesOf } from '../example.ts'
import type { Route } from '../route.ts'
import { schemaOfParams } from './param-schema.ts'
import type { Param, Params } from './params.ts'

/** The value of the bazaar extension. */
export type Discovery = Readonly<Record<string, unknown>>

/**
 * Returns the description of the route for clients that pay over HTTP. `path` are the values in the requested
 * path, so that the example is a request that gets an answer.
 */
export async function routeDiscovery(route: Route, path: Values): Promise<Discovery> {
  const discovery = await describedRoute(route)
  return Object.keys(path).length === 0 ? discovery : withInput(discovery, { pathParams: path })
}

/** Returns the description of the route's tool for clients that pay over MCP. `path` is as in `routeDiscovery`. */
export async function toolDiscovery(route: Route, path: Values): Promise<Discovery> {
  const discovery = await describedTool(route)
  const { example } = (discovery as unknown as Declared).info.input
  return withInput(discovery, { example: { ...example, ...path } })
}

type Values = Readonly<Record<string, unknown>>

function withInput(discovery: Discovery, input: object): Discovery {
  const { info } = discovery as unknown as Declared
  return { ...discovery, info: { ...info, input: { ...info.input, ...input } } }
}

const describedRoute = remembered(async (route) => {
  const { pattern, params } = route
  const [query, path] = [paramsIn('query', params), paramsIn('path', params)]
  const hasPath = Object.keys(path).length > 0
  const declared = declare({
    input: exampleValuesOf(query),
    inputSchema: objectSchemaOf(query),
    ...(hasPath ? { pathParams: exampleValuesOf(path), pathParamsSchema: objectSchemaOf(path) } : {}),
    ...(await outputOf(route)),
  })
  return withMethod(hasPath ? { ...declared, routeTemplate: pattern } : declared)
})

const describedTool = remembered(async (route) =>
  declare({
    toolName: route.tool,
    transport: 'streamable-http',
    inputSchema: { type: 'object', ...objectSchemaOf(route.params) },
    example: exampleValuesOf(route.params),
    ...(await outputOf(route)),
  }),
)

/** The name of the service as catalogues show it. */
export const serviceName = {
  name: 'Launch Data Service',
  tags: ['token launches', 'onchain data', 'trading signals', 'rug check', 'wallet analytics'],
} as const

function remembered(make: (route: Route) => Promise<Discovery>): (route: Route) => Promise<Discovery> {
  const made = new WeakMap<Route, Promise<Discovery>>()
  return (route) => {
    const found = made.get(route) ?? make(route)
    made.set(route, found)
    return found
  }
}

const declare = (config: Parameters<typeof declareDiscoveryExtension>[0]): Discovery =>
  declareDiscoveryExtension(config).bazaar as unknown as Discovery

type Declared = Readonly<{
  info: Readonly<{ input: Readonly<{ example?: object }> }>
  schema: Readonly<{ properties: Readonly<{ input: Readonly<{ properties: object }> }> }>
}>

/**
 * Adds the HTTP method to the description. The package of the bazaar extension expects its own server to add
 * the method. That server is not used here.
 */
function withMethod(discovery: Discovery): Discovery {
  const { schema } = discovery as unknown as Declared
  const { input } = schema.properties
  const properties = { ...input.properties, method: { type: 'string', enum: ['GET'] } }
  return {
    ...withInput(discovery, { method: 'GET' }),
    schema: { ...schema, properties: { ...schema.properties, input: { ...input, properties } } },
  }
}

const paramsIn = (place: Param['in'], params: Params): Params =>
  Object.fromEntries(Object.entries(params).filter(([, param]) => param.in === place))

/**
 * Returns the schema of the parameters without the keywords that every object schema repeats. `additionalProperties` is
 * also removed, because unknown parameters are ignored.
 */
function objectSchemaOf(params: Params): Readonly<{ properties?: object; required?: readonly string[] }> {
  const schema = z.toJSONSchema(schemaOfParams(params), { io: 'input' }) as Record<string, unknown>
  const { $schema, type, additionalProperties, ...rest } = schema
  return rest
}

/** The maximum length of an example in characters. */
const exampleLengthMax = 1_200
/** The maximum length of a text in the example, in characters. Longer texts explain the answer, and the example omits them. */
const textLengthMax = 120

/** Returns the shortened example of the route. Catalogues do not list a route without an example. */
async function outputOf(route: Route): Promise<Readonly<{ output?: Readonly<{ example: unknown }> }>> {
  const body = (await route.example?.())?.body
  return body === undefined ? {} : { output: { example: withoutLongest(shortened(body) as object) } }
}

/** Removes the longest fields until the example is short enough. */
function withoutLongest(example: object): object {
  if (JSON.stringify(example).length <= exampleLengthMax) return example
  const fields = Object.entries(example)
  const lengths = fields.map(([, field]) => JSON.stringify(field)?.length ?? 0)
  return withoutLongest(Object.fromEntries(fields.toSpliced(lengths.indexOf(Math.max(...lengths)), 1)))
}

/** Keeps only the first row of each list, and removes long texts. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shortened)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, field]) => !isLongText(field))
  return Object.fromEntries(fields.map(([name, field]) => [name, shortened(field)]))
}

const isLongText = (value: unknown): boolean => typeof value === 'string' && value.length > textLengthMax
