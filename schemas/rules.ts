/**
 * Every number that decides which signals exist and what scores they get. Each processor is created with its
 * part of `Rules`. The sentences in API answers are made from the same numbers. `launch-data rules` prints
 * the defaults. Numbers that only limit memory or only define the format of the log are not rules.
 */
import { callersSchema } from './calls/callers.ts'
import { callRulesSchema } from './calls/rules.ts'
import { chainANumbersSchema } from './chain-a/numbers.ts'
import { rulesVersion as chainAVersion } from './chain-a/rules.ts'
import { chainAVerdictSchema } from './chain-a/verdict.ts'
import { leadersSchema } from './chain-b/copy-rules.ts'
import { chainBNumbersSchema } from './chain-b/numbers.ts'
import { rulesVersion as chainBVersion } from './chain-b/rules.ts'
import { chainBVerdictSchema } from './chain-b/verdict.ts'
import { deskRulesSchema } from './desk/rules.ts'
import { defaultsOf, part, type ValuesOf } from './rule-values.ts'

/**
 * The schema of all rules. `calls` and `desk` (simulated trading) apply to both chains. `leaders` applies to
 * copy trading on chain B. `callers` applies to the statistics of chat posters.
 */
export const rulesSchema = part({
  chainA: chainANumbersSchema,
  chainB: chainBNumbersSchema,
  calls: callRulesSchema,
  desk: deskRulesSchema,
  leaders: leadersSchema,
  callers: callersSchema,
  verdicts: part({ chainA: chainAVerdictSchema, chainB: chainBVerdictSchema }),
})

export type Rules = ValuesOf<typeof rulesSchema>
export const defaultRules: Rules = defaultsOf(rulesSchema)

/**
 * The paths of rules, or of groups of rules, that only queries use. Records in the log do not depend on these
 * rules.
 */
const rulesOfQueries: readonly string[] = [
  'calls.buyersAfterMs',
  'calls.hits.hitRet',
  'calls.hits.doubleRet',
  'calls.hits.rugRet',
  'desk.twinsMax',
  'desk.twinWithinMs',
  'leaders',
  'callers',
  'verdicts',
]

/** Returns whether `path` is a rule that only queries use. An example is `callers.kMin`. */
export const isRuleOfQueries = (path: string): boolean =>
  rulesOfQueries.some((of) => path === of || path.startsWith(`${of}.`))

/**
 * For each stage, the version of its default rules. `parts` lists the parts of the rules on which the derived
 * records of the stage depend.
 */
export const stageRules = {
  'chain-a': { version: chainAVersion, parts: ['chainA', 'calls', 'desk'] },
  'chain-b': { version: chainBVersion, parts: ['chainB', 'calls', 'desk'] },
} as const satisfies Readonly<Record<string, Readonly<{ version: string; parts: readonly (keyof Rules)[] }>>>

export type RuledStage = keyof typeof stageRules
