/** The parameters of a route as schemas: what OpenAPI, the tools over MCP and catalogues say of them. */
import { z } from 'zod'
import { cursorPattern, instantPattern, type Param, type Params } from './params.ts'

/** A value as JSON has it: a number is a number. What a request carries is text, and is parsed by `parseParams`. */
function schemaOfParam(param: Param): z.ZodType {
  const { description } = param
  if (param.in === 'path')
    return z
      .string()
      .regex(param.pattern)
      .meta({ description, examples: [param.sample] })
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

/** Every parameter, those of the path first as they are declared; query parameters have defaults, or need not be given. */
export const schemaOfParams = (params: Params): z.ZodObject =>
  z.strictObject(Object.fromEntries(Object.entries(params).map(([name, param]) => [name, schemaOfParam(param)])))
