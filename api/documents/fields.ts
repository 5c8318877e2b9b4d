/** `/v1/fields`: the data dictionary as a free route. */
import { z } from 'zod'
import { type FreeRoute, freeRequestsPerMinute } from '../free-route.ts'
import { mcpMessagesPerMinute, mcpPath } from '../mcp/tool.ts'
import { described } from '../resource.ts'
import type { Route } from '../route.ts'
import { errorCodes, explained, statusOfError } from '../sale/error-codes.ts'
import { errorPageUrl } from '../sale/refusals.ts'
import { createDictionary } from './dictionary.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Described, OpenApi, Operation } from './openapi.ts'
import { pathOf } from './operations.ts'

export const availabilityClasses = {
  signal: 'Known when the burst fires. Safe as an input of a model.',
  'signal+seconds':
    'Filled 5 to 60 s after the signal, from the state at the signal block; null until then. Safe as an input once present.',
  'signal+30m':
    'An outcome: exists once the scoring window has closed (chain A 30 min; chain B graduation or 20 min). Never an input.',
  now: 'State as of generatedAt of the answer, or of checkedAt of the row. Tied to no signal.',
} as const

const field = z.object({
  name: z
    .string()
    .meta({ description: 'Path of the field: `.` separates the fields of a nested object, `[]` marks a list.' }),
  type: z.string(),
  nullable: z.boolean(),
  optional: z.boolean(),
  availability: z.enum(['signal', 'signal+seconds', 'signal+30m', 'now']),
  description: z.string(),
  minimum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  maximum: z.number().optional(),
  values: z.array(z.union([z.string(), z.number(), z.boolean()])).optional(),
  pattern: z.string().optional(),
})

const route = z.object({
  route: z.string(),
  aliases: z.array(z.string()).meta({ description: 'Other paths of the same route.' }),
  tool: z.string().nullable().meta({ description: 'Name of its MCP tool.' }),
  price: z.number().min(0).meta({ description: 'USD a call; 0: free.' }),
  description: z.string(),
  freshness: z.array(z.object({ data: z.string(), maxAgeSec: z.number() })),
  fields: z.array(field),
})

const error = z.object({
  status: z.int(),
  code: z.string(),
  meaning: z.string(),
  toDo: z.string(),
  charged: z.literal(false),
  docs: z.url(),
})

const fieldsSchema = z.object({
  availability: described('now', z.record(z.string(), z.string()), 'The meaning of each class of availability.'),
  routes: described('now', z.array(route), 'Every route with the fields of its answer and how old its data may be.'),
  events: described(
    'now',
    z.record(z.string(), z.object({ description: z.string(), fields: z.array(field) })),
    'What the stream pushes, by the name of the event.',
  ),
  resources: described(
    'now',
    z.record(z.string(), z.array(field)),
    'The objects that types refer to, each with its fields.',
  ),
  errors: described('now', z.array(error), 'Every error code. Errors are never charged.'),
  limits: described(
    'now',
    z.array(z.object({ of: z.string(), perMinute: z.int() })),
    'Requests per minute and address. Paid routes have no limit beyond payment.',
  ),
})

const schemaOf = ({ responses }: Operation): JsonSchema => {
  const { content } = responses[200] as Readonly<{ content: Readonly<Record<string, { schema: JsonSchema }>> }>
  return content['application/json']?.schema ?? {}
}

export function fieldsOfRoutes(document: OpenApi) {
  const dictionary = createDictionary(document)
  const byPath = new Map(
    Object.entries(document.paths).map(([path, { get }]) => [path, dictionary.fieldsOf(schemaOf(get))] as const),
  )
  const events = Object.values(document.paths).flatMap(({ get }) =>
    Object.entries((get['x-events'] ?? {}) as Readonly<Record<string, DescribedEvent>>),
  )
  return {
    byPath,
    events: Object.fromEntries(
      events.map(([name, { description, schema }]) => [name, { description, fields: dictionary.fieldsOf(schema) }]),
    ),
    resources: dictionary.resources,
  }
}

type DescribedEvent = Readonly<{ description: string; schema: JsonSchema }>

const paidEntry = (paid: Route) => ({
  route: `GET ${pathOf(paid)}`,
  aliases: [`GET ${pathOf(paid).replace('/v1', '')}`],
  tool: paid.tool,
  price: paid.priceUsdMicros / 1_000_000,
  description: paid.description,
  freshness: paid.dependsOn.map(({ stage, maxAgeMs }) => ({ data: stage.name, maxAgeSec: maxAgeMs / 1000 })),
})

const freeEntry = ({ patterns: [pattern, ...aliases], tool, description }: FreeRoute) => ({
  route: `GET ${pattern}`,
  aliases: aliases.map((alias) => `GET ${alias}`),
  ...{ tool: tool ?? null, price: 0, description, freshness: [] },
})

/** `document`: returns the OpenAPI document of all routes, including this one. */
export const createFieldsRoute = (described: () => Described, document: () => Promise<OpenApi>): FreeRoute => ({
  patterns: ['/v1/fields'],
  description: 'The data dictionary: every field with its availability, errors, freshness, limits.',
  isFrozen: true,
  schema: fieldsSchema,
  async answer() {
    const { routes, free, publicBaseUrl } = described()
    const { byPath, events, resources } = fieldsOfRoutes(await document())
    const withFields = <Entry extends Readonly<{ route: string }>>(entry: Entry) => ({
      ...entry,
      fields: byPath.get(entry.route.slice('GET '.length)) ?? [],
    })
    return {
      availability: availabilityClasses,
      routes: [...routes.map(paidEntry), ...free.map(freeEntry)].map(withFields),
      events,
      resources,
      errors: errorCodes.map((code) => ({
        ...{ status: statusOfError(code), code, ...explained[code], charged: false },
        docs: errorPageUrl(publicBaseUrl, code),
      })),
      limits: [
        ...free.flatMap(({ patterns, perMinute }) =>
          perMinute === undefined ? [] : [{ of: `GET ${patterns[0]}`, perMinute }],
        ),
        { of: 'the other free routes together', perMinute: freeRequestsPerMinute },
        { of: `POST ${mcpPath}`, perMinute: mcpMessagesPerMinute },
      ],
    }
  },
})
