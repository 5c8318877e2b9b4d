import { z } from 'zod'

const documented = z.object({
  availability: z.enum(['signal', 'signal+seconds', 'signal+30m', 'now']),
  description: z.string().min(1),
})

/**
 * Returns the fields that have no description, neither on the field nor on a parent field. Resources have a
 * separate section in the documents. So each field of a resource needs a description, even if a parent field
 * has one.
 */
export function undescribed(schema: z.core.$ZodType, path: string): string[] {
  const inner = innerOf(schema)
  if (inner !== null) return inner.flatMap((part) => undescribed(part, path))
  if (!(schema instanceof z.ZodObject)) return [path]
  return Object.entries<z.core.$ZodType>(schema.shape).flatMap(([name, field]) => {
    const isDescribed = documented.safeParse(z.globalRegistry.get(field)).success
    return isDescribed
      ? resourcesIn(field).flatMap((its) => undescribed(its, `${path}.${name}`))
      : undescribed(field, `${path}.${name}`)
  })
}

/**
 * Returns whether the schema is a named resource. A resource with a special description is a new schema, and
 * only the parent schema has the name.
 */
function isNamed(schema: z.core.$ZodType): boolean {
  const { parent } = schema._zod
  return z.globalRegistry.get(schema)?.id !== undefined || (parent !== undefined && isNamed(parent))
}

function resourcesIn(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  const inner = innerOf(schema)
  if (inner !== null) return inner.flatMap(resourcesIn)
  if (!(schema instanceof z.ZodObject)) return []
  if (isNamed(schema)) return [schema]
  return Object.values<z.core.$ZodType>(schema.shape).flatMap(resourcesIn)
}

function innerOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] | null {
  if (schema instanceof z.ZodArray) return [schema.element]
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return [schema.unwrap()]
  return schema instanceof z.ZodUnion ? schema.options : null
}
