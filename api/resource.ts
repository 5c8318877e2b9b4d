/**
 * A resource is an object in answers. Each field is defined in one place: its availability, its schema, its
 * description, and the function that reads its value. Answers are built from these definitions. Tests check
 * answers against the schema, and the documents are generated from the schema.
 */
import assert from 'node:assert/strict'
import { z } from 'zod'

/**
 * When the value of a field becomes known:
 * - `signal`: when the burst fires.
 * - `signal+seconds`: 5 to 60 s after the signal.
 * - `signal+30m`: with the outcome, so a model must never use the value as an input.
 * - `now`: the state as of the answer.
 */
export type Availability = 'signal' | 'signal+seconds' | 'signal+30m' | 'now'

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
  /** The strict schema of the object: a field that is not defined fails validation. */
  schema: SchemaOf<Of>
  /** The field definitions, for a resource that extends this one. */
  fields: Of
  /** Returns the fields in the order of their definition. Takes no context if no field needs one. */
  present(row: Row, ...context: ContextArguments<Context>): z.output<SchemaOf<Of>>
}>

type ContextArguments<Context> = unknown extends Context ? [] : [context: Context]

/** The object that `present` returns, as it appears in an answer. */
export type Presented<Of extends Readonly<{ schema: z.ZodType }>> = z.output<Of['schema']>

/**
 * Returns builders for the fields of a resource that is made from `Row`. `Context` has the other inputs of
 * the fields.
 */
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
    /** `id` is the name of the resource in the documents. */
    resource: <Of extends Fields<Row, Context>>(id: string, fields: Of): Resource<Row, Context, Of> =>
      resourceOf(id, fields),
  }
}

function resourceOf<Row, Context, Of extends Fields<Row, Context>>(id: string, fields: Of): Resource<Row, Context, Of> {
  assert(id !== '', 'a resource must have a name for the documents')
  const entries = Object.entries(fields)
  const shape = Object.fromEntries(entries.map(([name, { schema }]) => [name, schema]))
  return {
    schema: z.strictObject(shape).meta({ id }) as unknown as SchemaOf<Of>,
    fields,
    present(row, ...[context]) {
      const presented: Record<string, unknown> = {}
      for (const [name, { read }] of entries) {
        const value = read(row, context as Context)
        // JSON has no undefined, so the answer omits an optional field without a value.
        if (value !== undefined) presented[name] = value
      }
      return presented as z.output<SchemaOf<Of>>
    },
  }
}
