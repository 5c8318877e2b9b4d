import { z } from 'zod'

const documented = z.object({
  availability: z.enum(['signal', 'signal+seconds', 'signal+30m', 'now']),
  description: z.string().min(1),
})

/** The fields that are described neither themselves nor as part of one, nor by their own fields. */
export function undescribed(schema: z.core.$ZodType, path: string): string[] {
  const inner = innerOf(schema)
  if (inner !== null) return inner.flatMap((part) => undescribed(part, path))
  if (!(schema instanceof z.ZodObject)) return [path]
  return Object.entries<z.core.$ZodType>(schema.shape).flatMap(([name, field]) =>
    documented.safeParse(z.globalRegistry.get(field)).success ? [] : undescribed(field, `${path}.${name}`),
  )
}

function innerOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] | null {
  if (schema instanceof z.ZodArray) return [schema.element]
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return [schema.unwrap()]
  return schema instanceof z.ZodUnion ? schema.options : null
}
