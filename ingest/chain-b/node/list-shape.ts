/**
 * Shapes for lists and records in answers from outside. These shapes stop at the first wrong entry. zod's own
 * shapes collect an issue for each wrong entry. For an answer of a few megabytes, this can take a minute and
 * gigabytes of memory.
 */
import { z } from 'zod'

type Context = Readonly<{
  addIssue: (issue: Readonly<{ code: 'custom'; message: string; path: PropertyKey[] }>) => void
}>

export const listOf = <Item extends z.ZodType>(item: Item) =>
  z
    .custom<readonly unknown[]>(Array.isArray, 'is not a list')
    .transform((values, context): readonly z.output<Item>[] => {
      const read: z.output<Item>[] = []
      for (const [index, value] of values.entries()) {
        const result = item.safeParse(value)
        if (!result.success) return refuse(context, index, result.error)
        read.push(result.data)
      }
      return read
    })

const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

export const recordOf = <Item extends z.ZodType>(item: Item) =>
  z
    .custom<Readonly<Record<string, unknown>>>(isRecord, 'is not a record')
    .transform((values, context): Readonly<Record<string, z.output<Item>>> => {
      const read: [string, z.output<Item>][] = []
      for (const [name, value] of Object.entries(values)) {
        const result = item.safeParse(value)
        if (!result.success) return refuse(context, name, result.error)
        read.push([name, result.data])
      }
      return Object.fromEntries(read)
    })

function refuse(context: Context, at: PropertyKey, { issues }: z.ZodError): never {
  const { path = [], message = '' } = issues[0] ?? {}
  context.addIssue({ code: 'custom', message, path: [at, ...path] })
  return z.NEVER
}
