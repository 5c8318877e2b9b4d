/** Describes routes as operations of the OpenAPI document. */
import { z } from 'zod'
import { exampleAtMs, exampleValuesOf } from '../example.ts'
import type { FreeRoute } from '../free-route.ts'
import { formatUsd } from '../payments/offers/format-usd.ts'
import { type AnsweredRoute, type Route, routeIdOf } from '../route.ts'
import { reachMsOf } from '../sale/as-of.ts'
import type { ErrorCode } from '../sale/error-codes.ts'
import { schemaOfParams } from '../sale/param-schema.ts'
import type { Params, ParamValues } from '../sale/params.ts'
import type { StreamRoute } from '../stream-route.ts'
import { answerHeaders, headerRef, type Responses, sharedParameterRefs } from './components.ts'
import type { JsonSchema, SharedSchemas } from './json-schema.ts'

/** The parts of the stream route that the documents show. */
export type DescribedStream = Pick<
  StreamRoute,
  'patterns' | 'description' | 'contentType' | 'query' | 'events' | 'refusals'
>

export type OperationDependencies = Readonly<{ schemas: SharedSchemas; responses: Responses }>

/** Returns the path in OpenAPI's form: `/v1/rh/pools/{id}/flow`. */
export const pathOf = (route: Pick<Route, 'pattern'>): string => routeIdOf(route).slice('GET '.length)

export async function paidOperation(route: Route, { schemas, responses }: OperationDependencies): Promise<JsonSchema> {
  const alias = pathOf(route).replace('/v1', '')
  const example = await route.example?.()
  const price = formatUsd(route.priceUsdMicros)
  return {
    operationId: route.tool,
    tags: ['paid'],
    summary: route.description,
    description: `${price} USD a call, paid with x402. ${freshnessText(route)}${historyText(route)}Also served at ${alias}, and over MCP as the tool \`${route.tool}\`.`,
    'x-payment-info': { price: { mode: 'fixed', currency: 'USD', amount: price }, protocols: [{ x402: {} }] },
    'x-aliases': [alias],
    'x-mcp-tool': route.tool,
    'x-freshness': route.dependsOn.map(({ stage, maxAgeMs }) => ({ data: stage.name, maxAgeSec: maxAgeMs / 1000 })),
    ...(route.isPersonal ? {} : { 'x-as-of': { reachSec: reachSecOf(route) } }),
    security: [{ x402: [] }],
    parameters: [...parametersOf(route.params), ...sharedParameterRefs],
    responses: {
      200: {
        description: 'The answer.',
        headers: answerHeaders,
        content: {
          'application/json': {
            schema: schemas.share(answerNameOf(route.tool), schemas.schemaOf(route.schema)),
            ...(example === undefined ? {} : { example: example.body }),
          },
        },
      },
      ...responses.of(errorsOf(route)),
    },
  }
}

/** Returns the name of the answer's schema, such as `RhBurstsLiveAnswer`. */
const answerNameOf = (id: string): string =>
  `${id.replace(/(?:^|[^a-zA-Z0-9]+)([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase())}Answer`

function freshnessText({ dependsOn }: Pick<Route, 'dependsOn'>): string {
  if (dependsOn.length === 0) return ''
  const ages = dependsOn.map(({ newest, maxAgeMs, isFor }) => {
    const age = `${newest} is at most ${maxAgeMs / 1000} s old`
    return isFor === undefined ? age : `${age} (if the answer is about it)`
  })
  return `Sold only while ${ages.join(' and ')}. `
}

/**
 * Returns how far back `asOf` may be, in seconds. The parameters of the request are those of the route's
 * example.
 */
const reachSecOf = (route: AnsweredRoute): number =>
  Math.floor(reachMsOf({ route, values: exampleValuesOf(route.params) as ParamValues<Params> }, exampleAtMs) / 1000)

function historyText(route: Route): string {
  if (route.isPersonal) return ''
  const hours = Math.floor(reachSecOf(route) / 3600)
  return `With \`asOf\` it answers with what was known at that instant, of the last ${hours} h. `
}

/** Returns the error codes that a request to the route can get, in the order of the checks. */
export function errorsOf({ params, subject, dependsOn, refusals = [] }: Route): readonly ErrorCode[] {
  const hasPath = Object.values(params).some((param) => param.in === 'path')
  return [
    'bad_param',
    ...(hasPath ? (['bad_address'] as const) : []),
    ...refusals,
    'warming_up',
    ...(subject ? (['not_tracked'] as const) : []),
    ...(dependsOn.length > 0 ? (['data_stale'] as const) : []),
    'payments_not_live',
    'payment_required',
    'payment_invalid',
    'payment_already_used',
    'internal',
  ]
}

function parametersOf(params: Params): readonly JsonSchema[] {
  const { properties = {} } = z.toJSONSchema(schemaOfParams(params), { io: 'input' })
  return Object.entries(params).map(([name, param]) => {
    const { description, examples, ...schema } = properties[name] as JsonSchema & { examples?: readonly unknown[] }
    return {
      ...{ name, in: param.in, required: param.in === 'path', description, schema },
      ...(examples === undefined ? {} : { example: examples[0] }),
    }
  })
}

export const freeErrors: readonly ErrorCode[] = ['rate_limited', 'internal']

/** Returns one operation for each path of the route. */
export async function freeOperations(
  route: FreeRoute,
  { schemas, responses }: OperationDependencies,
): Promise<readonly (readonly [string, JsonSchema])[]> {
  const example = await route.example?.()
  const id = route.tool ?? idOf(route.patterns[0])
  const ref = schemas.share(answerNameOf(id), schemas.schemaOf(route.schema))
  const content = {
    [route.mediaType ?? 'application/json']: { schema: ref, ...(example === undefined ? {} : { example }) },
  }
  const tool = route.tool === undefined ? {} : { 'x-mcp-tool': route.tool }
  return route.patterns.map((pattern, index) => [
    pattern,
    {
      ...{ operationId: index === 0 ? id : idOf(pattern), tags: ['free'], summary: route.description, ...tool },
      security: [],
      ...(route.params === undefined ? {} : { parameters: parametersOf(route.params) }),
      responses: {
        200: {
          description: 'The answer.',
          headers: { ...(route.isFrozen ? headerRef('ETag') : {}), ...headerRef('X-Request-Id') },
          content,
        },
        ...(route.isFrozen ? { 304: { description: 'The document has not changed since If-None-Match.' } } : {}),
        ...responses.of(route.params === undefined ? freeErrors : ['bad_param', ...freeErrors]),
      },
    },
  ])
}

/** Returns one operation for each path of the stream. `x-events` describes the events, each with the schema of its data. */
export function streamOperations(
  { patterns, description, contentType, query, events, refusals }: DescribedStream,
  { schemas, responses }: OperationDependencies,
): readonly (readonly [string, JsonSchema])[] {
  const { properties = {}, required = [] } = schemas.schemaOf(query) as Readonly<{
    properties?: Readonly<Record<string, JsonSchema>>
    required?: readonly string[]
  }>
  const parameters = Object.entries(properties).map(([name, { description: what, ...schema }]) => ({
    ...{ name, in: 'query', required: required.includes(name), description: what, schema },
  }))
  const describedEvents = Object.entries(events).map(([name, event]) => [
    name,
    {
      description: event.description,
      schema: schemas.share(
        `${answerNameOf(`stream ${name}`).slice(0, -'Answer'.length)}Event`,
        schemas.schemaOf(event.schema),
      ),
    },
  ])
  return patterns.map((pattern, index) => [
    pattern,
    {
      operationId: index === 0 ? 'stream' : idOf(pattern),
      ...{ tags: ['free'], summary: description, security: [], parameters },
      'x-events': Object.fromEntries(describedEvents),
      responses: {
        200: {
          description: 'Server-sent events, one JSON object each; `x-events` has their shapes.',
          headers: headerRef('X-Request-Id'),
          content: { [contentType]: { schema: { type: 'string' } } },
        },
        ...responses.of([...refusals, 'internal']),
      },
    },
  ])
}

/** Returns the operation id of a path, such as `get_v1_health`. */
const idOf = (pattern: string): string => `get${pattern.replace(/[^a-zA-Z0-9]+/g, '_')}`.replace(/_$/, '')
