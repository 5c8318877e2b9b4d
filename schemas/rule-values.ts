/**
 * Functions that define rules: numbers with a default, with bounds and with a description. The name of a rule
 * ends with its unit. Both bounds are allowed values.
 */
import { z } from 'zod'
import type { DurationMs } from './units.ts'

type Bounds = readonly [min: number, max: number]

/** A rule with a whole number: a count, basis points or lamports. */
export const whole = (value: number, bounds: Bounds, meaning: string) =>
  wholeWithin(bounds, meaning).default(value).describe(meaning)

/** A rule with a whole number of milliseconds. */
export const duration = (value: DurationMs, bounds: Bounds, meaning: string) =>
  durationWithin(bounds, meaning).default(value).describe(meaning)

/** A rule whose number can have decimals: a ratio, a return or an amount of a coin. */
export const real = (value: number, bounds: Bounds, meaning: string) =>
  realWithin(bounds, meaning).default(value).describe(meaning)

/** Define numbers without a default, for the items of a list. Only the whole list has a default. */
export const wholeWithin = ([min, max]: Bounds, meaning: string) => z.number().int().min(min).max(max).describe(meaning)
export const durationWithin = (bounds: Bounds, meaning: string): z.ZodType<DurationMs, DurationMs> =>
  wholeWithin(bounds, meaning)
export const realWithin = ([min, max]: Bounds, meaning: string) => z.number().min(min).max(max).describe(meaning)

/** Defines a group of rules. A rule that is not given has its default. */
export const part = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject(shape).prefault({} as never)

/**
 * A condition on several rules of a part. If the condition holds, `refuses` returns null. If not, it returns
 * the reason as a sentence. `at` is the path, within the part, of the rule that the user should change.
 */
export type Condition<Values> = Readonly<{ at: readonly (string | number)[]; refuses(values: Values): string | null }>

/** Returns a check that reports the reason of each condition that does not hold. */
export const refuseBy =
  <Values>(conditions: readonly Condition<Values>[]) =>
  (values: Values, context: z.RefinementCtx): void => {
    for (const { at, refuses } of conditions) {
      const message = refuses(values)
      if (message !== null) context.addIssue({ code: 'custom', path: [...at], message })
    }
  }

/**
 * Makes all levels of a type read-only. `number` is tested before `object`, because the compiler also treats
 * a number with a flavor as an object.
 */
type DeepReadonly<Value> = Value extends number
  ? Value
  : Value extends object
    ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
    : Value

/** The type of the values of rules, after the schema of a part has parsed them. */
export type ValuesOf<Schema extends z.ZodType> = DeepReadonly<z.output<Schema>>

/** Returns the defaults of all rules of the part. */
export const defaultsOf = <Schema extends z.ZodType>(schema: Schema): ValuesOf<Schema> =>
  schema.parse({}) as ValuesOf<Schema>
