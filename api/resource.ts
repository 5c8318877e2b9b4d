/**
 * A resource is an object of an answer. Each of its fields is defined once: when its value is known, its schema, its
 * description, and where the value comes from. The answers are presented from it, the tests hold them to its schema, and
 * documents describe it.
 */
import { z } from 'zod'

/**
 * When the value of a field is known: `signal` when the burst fires, `signal+seconds` 5 to 60 s later, `signal+30m` with the
 * outcome and never an input, `now` state as of the answer.
 */
export type Availability = 'signal' | 'signal+seconds' | 'signal+30m' | 'now'

/** The schema of one field, with what documents say of it. */
export const described = <Schema extends z.ZodType>(
  availability: Availability,
  schema: Schema,
  description: string,
): Schema => schema.meta({ availability, description })

export type Field<Row, Context, Schema extends z.ZodType = z.ZodType> = Readonly<{
  schema: Schema
  read: (row: Row, context: Context) => z.output<Schema>
}>

type Fields<Row, Context> = Readonly<Record<string, Field<Row, Context>>>

type SchemaOf<Of extends Fields<never, never>> = z.ZodObject<
  { -readonly [Name in keyof Of]: Of[Name]['schema'] },
  z.core.$strict
>

export type Resource<Row, Context, Of extends Fields<never, never>> = Readonly<{
  /** Strict: a field that is not defined fails. */
  schema: SchemaOf<Of>
  /** For a resource that has these fields and more. */
  fields: Of
  /** The fields in the order of their definition. Takes no context where no value depends on one. */
  present(row: Row, ...context: ContextArguments<Context>): z.output<SchemaOf<Of>>
}>

type ContextArguments<Context> = unknown extends Context ? [] : [context: Context]

/** What `present` gives: the object as it stands in an answer. */
export type Presented<Of extends Readonly<{ schema: z.ZodType }>> = z.output<Of['schema']>

/** The parts of a resource made of `Row`; `Context` is what else its values depend on. */
export function fieldsOf<Row, Context = unknown>() {
  const field =
    (availability: Availability) =>
    <Schema extends z.ZodType>(
      schema: Schema,
      description: string,
      read: (row: Row, context: Context) => z.output<Schema>,
    ): Field<Row, Context, Schema> => ({ schema: described(availability, schema, description), read })
  return {
    field,
    signal: field('signal'),
    seconds: field('signal+seconds'),
    outcome: field('signal+30m'),
    now: field('now'),
    /** `id` names the resource in documents. */
    resource: <Of extends Fields<Row, Context>>(id: string, fields: Of): Resource<Row, Context, Of> =>
      resourceOf(id, fields),
  }
}

function resourceOf<Row, Context, Of extends Fields<Row, Context>>(id: string, fields: Of): Resource<Row, Context, Of> {
  const entries = Object.entries(fields)
  const shape = Object.fromEntries(entries.map(([name, { schema }]) => [name, schema]))
  return {
    schema: z.strictObject(shape).meta({ id }) as unknown as SchemaOf<Of>,
    fields,
    present(row, ...[context]) {
      const presented: Record<string, unknown> = {}
      for (const [name, { read }] of entries) {
        const value = read(row, context as Context)
        // A field that is optional and not there is left out: as undefined it would be no JSON.
        if (value !== undefined) presented[name] = value
      }
      return presented as z.output<SchemaOf<Of>>
    },
  }
}
