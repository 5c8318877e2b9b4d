/** Converts the parameters of a route to schemas, for OpenAPI, the MCP tools and catalogues. */
import { z } from 'zod'
import { cursorPattern, instantPattern, type Param, type Params } from './params.ts'

/**
 * Returns the schema of a parameter as a JSON value. In this schema a number has the type number. HTTP
 * requests contain only text, which `parseParams` parses.
 */
function schemaOfParam(param: Param): z.ZodType {
  const { description } = param
  // The schema has no example, because the service may not track the subject of the example rows.
  if (param.in === 'path') return z.string().regex(param.pattern).meta({ description })
  if (param.type === 'instant')
    return z
      .string()
      .regex(instantPattern)
      .optional()
      .meta({ description, examples: [`${param.sample}`] })
  if (param.type === 'epochMs') return z.int().min(0).optional().meta({ description })
  if (param.type === 'cursor') return z.string().regex(cursorPattern).optional().meta({ description })
  if (param.type === 'string') {
    const choice = z.enum(param.values)
    return (param.default === null ? choice.optional() : choice.default(param.default)).meta({ description })
  }
  return z
    .number()
    .min(param.min)
    .max(param.max)
    .default(param.default)
    .meta({ description: `${description}; a fraction is floored` })
}

/** Returns the schema of all parameters in their declared order. A query parameter is optional or has a default. */
export const schemaOfParams = (params: Params): z.ZodObject =>
  z.strictObject(Object.fromEntries(Object.entries(params).map(([name, param]) => [name, schemaOfParam(param)])))
