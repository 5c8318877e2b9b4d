/**
 * Building blocks of rules: numbers with a default, bounds and a meaning, each written once. A name ends in its unit. The ends of a
 * range are allowed.
 */
import { z } from 'zod'
import type { DurationMs } from './units.ts'

type Bounds = readonly [min: number, max: number]

/** Counts, basis points, lamports: a whole number. */
export const whole = (value: number, bounds: Bounds, meaning: string) =>
  wholeWithin(bounds, meaning).default(value).describe(meaning)

/** A whole number of milliseconds. */
export const duration = (value: DurationMs, bounds: Bounds, meaning: string) =>
  durationWithin(bounds, meaning).default(value).describe(meaning)

/** A number: ratios, returns, amounts of a coin. */
export const real = (value: number, bounds: Bounds, meaning: string) =>
  realWithin(bounds, meaning).default(value).describe(meaning)

/** For the items of a list, whose default belongs to the list. */
export const wholeWithin = ([min, max]: Bounds, meaning: string) => z.number().int().min(min).max(max).describe(meaning)
export const durationWithin = (bounds: Bounds, meaning: string): z.ZodType<DurationMs, DurationMs> =>
  wholeWithin(bounds, meaning)
export const realWithin = ([min, max]: Bounds, meaning: string) => z.number().min(min).max(max).describe(meaning)

/** A group of rules. A missing rule has its default. */
export const part = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject(shape).prefault({} as never)

/**
 * A condition on several rules of a part. `refuses` returns null if it holds. `at`: the path of the rule to change, within the
 * part.
 */
export type Condition<Values> = Readonly<{ at: readonly (string | number)[]; refuses(values: Values): string | null }>

/** Reports the sentences of all conditions that do not hold. */
export const refuseBy =
  <Values>(conditions: readonly Condition<Values>[]) =>
  (values: Values, context: z.RefinementCtx): void => {
    for (const { at, refuses } of conditions) {
      const message = refuses(values)
      if (message !== null) context.addIssue({ code: 'custom', path: [...at], message })
    }
  }

/** A number with a flavor is an object to the compiler, so numbers come first. */
type DeepReadonly<Value> = Value extends number
  ? Value
  : Value extends object
    ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
    : Value

/** The values of rules, as parsed by the schema of a part. */
export type ValuesOf<Schema extends z.ZodType> = DeepReadonly<z.output<Schema>>

/** The defaults of all rules of the part. */
export const defaultsOf = <Schema extends z.ZodType>(schema: Schema): ValuesOf<Schema> =>
  schema.parse({}) as ValuesOf<Schema>
