/**
 * Parses a rules file: JSON with the values that differ from the default rules. One error reports all
 * mistakes of the file.
 */
import type { z } from 'zod'
import { defaultRules, type Rules, rulesSchema } from '../schemas/rules.ts'
import { OperationError } from './errors.ts'

type Json = unknown
type Path = readonly PropertyKey[]

/** Returns the rules of a rules file. Fails with `config_invalid`. The error contains `name`, the name of the file. */
export function parseRules(text: string, name: string): Rules {
  const given = parseJson(text, name)
  // The output of "launch-data rules" contains the versions of the rules, which are ignored here.
  const { versions: _, ...values } = isPart(given) ? given : refuse(name, ['a rules file must contain a JSON object'])
  const parsed = rulesSchema.safeParse(values)
  return parsed.success ? (parsed.data as Rules) : refuse(name, parsed.error.issues.flatMap(linesOf(values)))
}

function parseJson(text: string, name: string): Json {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new OperationError('config_invalid', `${name} is not JSON: ${(cause as Error).message}`, { cause })
  }
}

function refuse(name: string, lines: readonly string[]): never {
  throw new OperationError('config_invalid', `${name}: ${lines.join('; ')}`)
}

const isPart = (value: Json): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const linesOf =
  (given: Json) =>
  (issue: z.core.$ZodIssue): readonly string[] => {
    const at = textOf(issue.path)
    switch (issue.code) {
      case 'unrecognized_keys':
        return issue.keys.map((key) => unknownName(issue.path, key))
      case 'too_small':
        return [`${at} ${boundText(valueAt(given, issue.path), `at least ${issue.minimum}`)}`]
      case 'too_big':
        return [`${at} ${boundText(valueAt(given, issue.path), `at most ${issue.maximum}`)}`]
      default:
        return [`${at}: ${issue.message}`]
    }
  }

const boundText = (value: Json, bound: string): string =>
  Array.isArray(value)
    ? `has ${value.length} entries, but must have ${bound}`
    : `is ${JSON.stringify(value)}, but must be ${bound}`

const textOf = (path: Path): string => (path.length === 0 ? 'the rules' : path.map(String).join('.'))

const valueAt = (value: Json, path: Path): Json =>
  path.reduce<Json>((its, key) => (its as Readonly<Record<PropertyKey, Json>> | undefined)?.[key], value)

/**
 * The text about an unknown rule, with the nearest known name. Most mistakes are of one letter, so names in
 * the same part of the rules are compared first. Some mistakes name the wrong part, so all names are compared
 * after that.
 */
function unknownName(path: Path, key: string): string {
  const at = textOf([...path, key])
  const part = valueAt(defaultRules, path)
  const beside = isPart(part) ? Object.keys(part).map((name) => textOf([...path, name])) : []
  const near = nearestOf(at, beside) ?? nearestOf(at, pathsOf(defaultRules, []))
  return near === null ? `there is no rule ${at}` : `there is no rule ${at}, but there is ${near}`
}

function pathsOf(value: Json, path: Path): readonly string[] {
  if (!isPart(value)) return path.length === 0 ? [] : [textOf(path)]
  return Object.entries(value).flatMap(([name, its]) => pathsOf(its, [...path, name]))
}

const lastOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1).toLowerCase()

/** The candidate whose last name is most similar to the last name of `path`. Null if no candidate is similar. */
function nearestOf(path: string, candidates: readonly string[]): string | null {
  const name = lastOf(path)
  let [nearest, distance]: [string | null, number] = [null, Math.ceil(name.length / 2)]
  for (const candidate of candidates) {
    const its = distanceOf(name, lastOf(candidate))
    if (its < distance) [nearest, distance] = [candidate, its]
  }
  return nearest
}

/** The edit distance: the minimum number of letters to add, remove or change. */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let index = 1; index <= from.length; index++) {
    const next = [index]
    for (let other = 1; other <= to.length; other++) {
      const change = (row[other - 1] ?? 0) + (from[index - 1] === to[other - 1] ? 0 : 1)
      next.push(Math.min(change, (row[other] ?? 0) + 1, (next[other - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
