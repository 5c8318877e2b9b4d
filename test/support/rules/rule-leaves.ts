/** Lists every number of the rules, with other possible values for it. */
import { z } from 'zod'
import { defaultRules, type Rules, rulesSchema } from '../../../schemas/rules.ts'

type Step = string | number
/** One number of the rules. `path` is a text like `chainA.outcomes.exits.0.fadeEth`. */
export type RuleLeaf = Readonly<{ path: string; steps: readonly Step[]; value: number; min: number; max: number }>

type JsonSchema = Readonly<{
  properties?: Readonly<Record<string, JsonSchema>>
  items?: JsonSchema
  prefixItems?: readonly JsonSchema[]
  anyOf?: readonly JsonSchema[]
  oneOf?: readonly JsonSchema[]
  minimum?: number
  maximum?: number
}>

const choicesOf = (schema: JsonSchema): readonly JsonSchema[] => [
  schema,
  ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap(choicesOf),
]

/** Returns the schemas of the value at `step`. A union can give several schemas. */
const behind = (schemas: readonly JsonSchema[], step: Step): readonly JsonSchema[] =>
  schemas.flatMap(choicesOf).flatMap(({ properties, items, prefixItems }) => {
    const found = typeof step === 'number' ? (prefixItems?.[step] ?? items) : properties?.[step]
    return found === undefined ? [] : [found]
  })

function leavesIn(value: unknown, schemas: readonly JsonSchema[], steps: readonly Step[]): readonly RuleLeaf[] {
  if (typeof value === 'number') {
    const bounded = schemas.flatMap(choicesOf).find(({ minimum }) => minimum !== undefined)
    const { minimum: min = Number.NaN, maximum: max = Number.NaN } = bounded ?? {}
    return [{ path: steps.join('.'), steps, value, min, max }]
  }
  if (typeof value !== 'object' || value === null) return []
  const entries: readonly (readonly [Step, unknown])[] = Array.isArray(value)
    ? value.map((item, index) => [index, item] as const)
    : Object.entries(value)
  return entries.flatMap(([step, its]) => leavesIn(its, behind(schemas, step), [...steps, step]))
}

export const ruleLeaves: readonly RuleLeaf[] = leavesIn(
  defaultRules,
  [z.toJSONSchema(rulesSchema, { io: 'input' }) as JsonSchema],
  [],
)

/** Returns the rules with another number at `leaf`. Null: the schema does not allow this number. */
export function bend({ steps }: RuleLeaf, value: number, rules: Rules = defaultRules): Rules | null {
  const bent = structuredClone(rules) as unknown as Record<Step, unknown>
  let at = bent
  for (const step of steps.slice(0, -1)) at = at[step] as Record<Step, unknown>
  at[steps.at(-1) as Step] = value
  const parsed = rulesSchema.safeParse(bent)
  return parsed.success ? (parsed.data as Rules) : null
}

/** Returns values near the default and far from it, and the limits of the allowed range. */
function valuesOf({ value, min, max }: RuleLeaf): readonly number[] {
  const near = [value / 2, value * 2, value * 0.9, value * 1.1, value - 1, value + 1, value / 10, value * 5]
  const whole = Number.isInteger(value) && Number.isInteger(min) ? near.map(Math.round) : near
  return [...new Set([...whole, min, max])].filter((one) => one !== value)
}

/** Returns the default rules with one number changed, one time for each allowed value. */
export const bends = (leaf: RuleLeaf): readonly Rules[] => valuesOf(leaf).flatMap((one) => bend(leaf, one) ?? [])

/** Returns the rules with all numbers changed. Each number gets its allowed value at the index `turn`. */
export const bendAll = (leaves: readonly RuleLeaf[], turn: number): Rules =>
  leaves.reduce((rules, leaf) => {
    const allowed = valuesOf(leaf).flatMap((one) => bend(leaf, one, rules) ?? [])
    return allowed[turn % Math.max(1, allowed.length)] ?? rules
  }, defaultRules)
