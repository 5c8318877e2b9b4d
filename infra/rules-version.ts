/**
 * Computes the version of a stage's rules. The default rules have a fixed version. Other rules have this
 * version and a hash of their differences from the default.
 */
import { createHash } from 'node:crypto'
import { defaultRules, isRuleOfQueries, type RuledStage, type Rules, stageRules } from '../schemas/rules.ts'
import type { Stage, StageTypes } from '../schemas/stage.ts'

type Json = unknown

/**
 * The values of the rules that differ from the default, with their paths, in the order of the paths. A list
 * counts as one value.
 */
function differencesOf(rules: Rules, parts: readonly (keyof Rules)[]): readonly (readonly [string, Json])[] {
  const found = parts.flatMap((part) => differences(rules[part], defaultRules[part], part))
  return found.sort(([left], [right]) => (left < right ? -1 : 1))
}

function differences(value: Json, standard: Json, path: string): readonly (readonly [string, Json])[] {
  if (!isPart(value) || !isPart(standard)) return canonical(value) === canonical(standard) ? [] : [[path, value]]
  return Object.keys(standard).flatMap((name) => differences(value[name], standard[name], `${path}.${name}`))
}

const isPart = (value: Json): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Converts rules to JSON with sorted names, so that equal rules give equal texts. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isPart(value)) return JSON.stringify(value)
  const names = Object.keys(value).filter((name) => value[name] !== undefined)
  return `{${names
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)
    .join(',')}}`
}

/** The number of hash digits in a version. Eight digits are enough to distinguish the rules of one researcher. */
const hashLength = 8

/**
 * The version of a stage's rules. It depends only on the values that differ from the default, and on nothing else in
 * the rules file.
 */
function rulesVersionOf(stage: RuledStage, rules: Rules): string {
  const { version, parts } = stageRules[stage]
  const differing = differencesOf(rules, parts)
  if (differing.length === 0) return version
  const text = differing.map(([path, value]) => `${JSON.stringify(path)}:${canonical(value)}`).join(',')
  return `${version}+${createHash('sha256').update(`{${text}}`).digest('hex').slice(0, hashLength)}`
}

const partsOfRules = Object.keys(defaultRules) as readonly (keyof Rules)[]

/** The paths of the rules that differ from the default but have no effect on the records of the log. */
export const withoutEffectOnRecords = (rules: Rules): readonly string[] =>
  differencesOf(rules, partsOfRules)
    .map(([path]) => path)
    .filter(isRuleOfQueries)

export const rulesVersionsOf = (rules: Rules): Readonly<Record<RuledStage, string>> => ({
  'chain-a': rulesVersionOf('chain-a', rules),
  'chain-b': rulesVersionOf('chain-b', rules),
})

/**
 * Returns the stage with these rules. If the rules differ from the default, the version of the stage differs too. So
 * its records never have the version of the default.
 */
export function withRules<Types extends StageTypes>(stage: Stage<Types>, name: RuledStage, rules: Rules): Stage<Types> {
  const rulesVersion = rulesVersionOf(name, rules)
  return rulesVersion === stage.rulesVersion ? stage : { ...stage, rulesVersion, hasOtherRules: true }
}
