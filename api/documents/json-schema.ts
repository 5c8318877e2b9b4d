/**
 * Converts the schemas of bodies to JSON Schema of OpenAPI 3.1. Published objects allow further properties, because
 * fields may be added without notice. Tests check answers against the strict schemas.
 */

import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'

export type JsonSchema = { [keyword: string]: unknown }

/** The schemas that have a name. Other schemas refer to them with `#/components/schemas/<name>`. */
export type SharedSchemas = Readonly<{
  schemaOf(schema: z.ZodType): JsonSchema
  /** Adds a shared schema and returns the reference to it. */
  share(name: string, schema: JsonSchema): JsonSchema
  all(): Readonly<Record<string, JsonSchema>>
}>

export function createSharedSchemas(): SharedSchemas {
  const shared = new Map<string, JsonSchema>()
  const share: SharedSchemas['share'] = (name, schema) => {
    const known = shared.get(name)
    assert(known === undefined || isDeepStrictEqual(known, schema), `two different schemas have the name ${name}`)
    shared.set(name, schema)
    return { $ref: `#/components/schemas/${name}` }
  }
  return {
    schemaOf(schema) {
      const { $schema: _, $defs = {}, ...whole } = z.toJSONSchema(schema, { io: 'output' }) as JsonSchema
      for (const [name, part] of Object.entries($defs as Record<string, JsonSchema>)) share(name, published(part))
      return published(whole)
    },
    share,
    all: () => Object.fromEntries([...shared].sort(([left], [right]) => (left < right ? -1 : 1))),
  }
}

/**
 * Whether a value is a bound of the safe integers. Zod writes these bounds into every integer schema, and the document
 * omits them.
 */
const isNoise = (value: unknown): boolean => value === Number.MAX_SAFE_INTEGER || value === Number.MIN_SAFE_INTEGER

function published(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(([keyword, value]) => !isLeftOut(keyword, value))
  const result: JsonSchema = Object.fromEntries(
    kept.map(([keyword, value]) =>
      keyword === 'availability' ? ['x-availability', value] : [keyword, partOf(keyword, value)],
    ),
  )
  if (Number.isInteger(result.const)) result.type = 'integer'
  return withNull(result)
}

const isLeftOut = (keyword: string, value: unknown): boolean =>
  ((keyword === 'additionalProperties' || keyword === 'items') && value === false) ||
  ((keyword === 'minimum' || keyword === 'maximum') && isNoise(value))

function partOf(keyword: string, value: unknown): unknown {
  if (keyword === '$ref') return String(value).replace('#/$defs/', '#/components/schemas/')
  if (keyword === 'const' || keyword === 'default') return value
  if (keyword === 'properties') return mapped(value as Record<string, JsonSchema>)
  if (Array.isArray(value)) return value.map((one) => (isSchema(one) ? published(one) : one))
  return isSchema(value) ? published(value) : value
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const mapped = (properties: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, published(schema)]))

/** Rewrites a schema that allows null besides one simple type as `{type: [type, 'null']}`. */
function withNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const [one, none] = anyOf as [JsonSchema, JsonSchema]
  if (none.type !== 'null' || typeof one.type !== 'string' || 'const' in one) return schema
  const values = Array.isArray(one.enum) ? { enum: [...one.enum, null] } : {}
  return { ...one, ...values, type: [one.type, 'null'], ...rest }
}
