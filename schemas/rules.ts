/**
 * Every number that decides which signals exist and how they score, as one value. Processors are created with their part of
 * it, and the sentences of answers are made from it. `launch-data rules` prints the default. What only bounds memory or shapes
 * the log is no rule.
 */
import { callRulesSchema } from './calls/rules.ts'
import { chainANumbersSchema } from './chain-a/numbers.ts'
import { rulesVersion as chainAVersion } from './chain-a/rules.ts'
import { leadersSchema } from './chain-b/copy-rules.ts'
import { chainBNumbersSchema } from './chain-b/numbers.ts'
import { rulesVersion as chainBVersion } from './chain-b/rules.ts'
import { deskRulesSchema } from './desk/rules.ts'
import { defaultsOf, part, type ValuesOf } from './rule-values.ts'

/** `calls` and `desk` are those of both chains, `leaders` of a list that is made by a query over the copies of chain B. */
export const rulesSchema = part({
  chainA: chainANumbersSchema,
  chainB: chainBNumbersSchema,
  calls: callRulesSchema,
  desk: deskRulesSchema,
  leaders: leadersSchema,
})

export type Rules = ValuesOf<typeof rulesSchema>
export const defaultRules: Rules = defaultsOf(rulesSchema)

/** The version of the default, and the parts that decide what the stage of a chain derives. */
export const stageRules = {
  'chain-a': { version: chainAVersion, parts: ['chainA', 'calls', 'desk'] },
  'chain-b': { version: chainBVersion, parts: ['chainB', 'calls', 'desk'] },
} as const satisfies Readonly<Record<string, Readonly<{ version: string; parts: readonly (keyof Rules)[] }>>>

export type RuledStage = keyof typeof stageRules
