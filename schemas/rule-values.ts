/**
 * What rules are made of: numbers with a default, bounds and a meaning, each written once. A name ends in its unit; ends of
 * a range are allowed themselves.
 */
import { z } from 'zod'

type Bounds = readonly [min: number, max: number]

/** Counts, milliseconds, basis points, lamports: a whole number. */
export const whole = (value: number, bounds: Bounds, meaning: string) =>
  wholeWithin(bounds, meaning).default(value).describe(meaning)

/** Ratios, returns, amounts of a coin: any number. */
export const real = (value: number, bounds: Bounds, meaning: string) =>
  realWithin(bounds, meaning).default(value).describe(meaning)

/** In an item of a list, whose values stand in the default of the list. */
export const wholeWithin = ([min, max]: Bounds, meaning: string) => z.number().int().min(min).max(max).describe(meaning)
export const realWithin = ([min, max]: Bounds, meaning: string) => z.number().min(min).max(max).describe(meaning)

/** Rules that belong together. What is left out has its default. */
export const part = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject(shape).prefault({} as never)

/** A condition on several rules of a part. Null: it holds. `at`: the rule to change, from the part on. */
export type Condition<Values> = Readonly<{ at: readonly (string | number)[]; refuses(values: Values): string | null }>

/** Adds the sentences of all conditions that do not hold. */
export const refuseBy =
  <Values>(conditions: readonly Condition<Values>[]) =>
  (values: Values, context: z.RefinementCtx): void => {
    for (const { at, refuses } of conditions) {
      const message = refuses(values)
      if (message !== null) context.addIssue({ code: 'custom', path: [...at], message })
    }
  }

type DeepReadonly<Value> = Value extends object ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> } : Value

/** The values of rules, as the schema of a part gives them. */
export type ValuesOf<Schema extends z.ZodType> = DeepReadonly<z.output<Schema>>

/** Every rule of the part as it is by default. */
export const defaultsOf = <Schema extends z.ZodType>(schema: Schema): ValuesOf<Schema> =>
  schema.parse({}) as ValuesOf<Schema>
