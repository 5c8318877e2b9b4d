import { z } from 'zod'

const documented = z.object({
  availability: z.enum(['signal', 'signal+seconds', 'signal+30m', 'now']),
  description: z.string().min(1),
})

/**
 * The fields that are described neither themselves nor as part of one, nor by their own fields. A resource has a name in
 * documents, where its fields stand by themselves: each of them is described, whatever holds it.
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

/** With a description of its own it is another schema, whose parent has the name. */
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
