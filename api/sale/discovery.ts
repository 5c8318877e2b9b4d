/**
 * What catalogues are told of a paid route: how it is called and what it answers, as x402's extension bazaar says it. Clients
 * send it back with every payment, so it is kept small.
 */
import { declareDiscoveryExtension } from '@x402/extensions/bazaar'
import { z } from 'zod'
import { exampleValuesOf } from '../example.ts'
import type { Route } from '../route.ts'
import { schemaOfParams } from './param-schema.ts'
import type { Param, Params } from './params.ts'

/** The value of the extension. */
export type Discovery = Readonly<Record<string, unknown>>

/** For a route over HTTP. */
export const routeDiscovery = remembered(async (route) => {
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

/** For its tool over MCP. */
export const toolDiscovery = remembered(async (route) =>
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
  info: Readonly<{ input: object }>
  schema: Readonly<{ properties: Readonly<{ input: Readonly<{ properties: object }> }> }>
}>

/** The package leaves the method to its own server, which ours is not. */
function withMethod(discovery: Discovery): Discovery {
  const { info, schema } = discovery as unknown as Declared
  const { input } = schema.properties
  const properties = { ...input.properties, method: { type: 'string', enum: ['GET'] } }
  return {
    ...discovery,
    info: { ...info, input: { ...info.input, method: 'GET' } },
    schema: { ...schema, properties: { ...schema.properties, input: { ...input, properties } } },
  }
}

const paramsIn = (place: Param['in'], params: Params): Params =>
  Object.fromEntries(Object.entries(params).filter(([, param]) => param.in === place))

/** Without what every schema of an object repeats. Unknown parameters are ignored, so nothing is said against them. */
function objectSchemaOf(params: Params): Readonly<{ properties?: object; required?: readonly string[] }> {
  const schema = z.toJSONSchema(schemaOfParams(params), { io: 'input' }) as Record<string, unknown>
  const { $schema, type, additionalProperties, ...rest } = schema
  return rest
}

/** Characters of an example. */
const exampleLengthMax = 1_200
/** Longer texts are explanations of the answer. */
const textLengthMax = 120

/** A row of the route's own example, where it is short. */
async function outputOf(route: Route): Promise<Readonly<{ output?: Readonly<{ example: unknown }> }>> {
  const example = shortened((await route.example?.())?.body)
  const isShort = example !== undefined && JSON.stringify(example).length <= exampleLengthMax
  return isShort ? { output: { example } } : {}
}

/** Lists with their first row only, and without long texts. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shortened)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, field]) => !isLongText(field))
  return Object.fromEntries(fields.map(([name, field]) => [name, shortened(field)]))
}

const isLongText = (value: unknown): boolean => typeof value === 'string' && value.length > textLengthMax
