/**
 * Parses and checks conditions on the results of lookups. In `lp=safe,holdersTop10<=0.3`, `lp` and
 * `holdersTop10` are fields of such results.
 */
import { OperationError } from '../../infra/errors.ts'
import type { ComparedKind, Signal, SignalValue } from '../signals.ts'

export type Condition = Readonly<{ field: string; is: '=' | '<=' | '>='; value: SignalValue }>

const form = /^(\w+)(=|<=|>=)([\w.-]+)$/

/**
 * Parses conditions, which are separated by commas. Fails with `config_invalid` for a malformed text, a field
 * that no kind of signal has, or a value that the field cannot have.
 */
export function parseWhere(conditions: string, kinds: readonly ComparedKind[]): readonly Condition[] {
  const fields = new Map(kinds.flatMap(({ lookups }) => lookups.flatMap((lookup) => Object.entries(lookup.fields))))
  const refuse = (what: string) => {
    throw new OperationError('config_invalid', `--where: ${what}`)
  }
  return conditions.split(',').map((part): Condition => {
    const [, field = '', is = '', text = ''] = form.exec(part.trim()) ?? []
    const known = fields.get(field)
    if (is === '') return refuse(`"${part.trim()}" is not a condition. Examples: lp=safe, holdersTop10<=0.3`)
    if (known === undefined)
      return refuse(`no answer of a lookup has a field ${field}. The fields are: ${[...fields.keys()].join(', ')}`)
    if (known.values === null) {
      const value = Number(text)
      if (!Number.isFinite(value)) return refuse(`${field} is compared with a number, but ${text} is not a number`)
      return { field, is: is as Condition['is'], value }
    }
    if (is !== '=') return refuse(`the values of ${field} are words. Compare ${field} only with =`)
    if (!known.values.includes(text))
      return refuse(`${text} is not a value of ${field}. Its values are ${known.values.join(', ')}`)
    return { field, is: '=', value: text }
  })
}

/**
 * Returns the names of the lookups that have the fields in the conditions. Null: this kind of signal lacks
 * one of the fields.
 */
export function lookupsNeeded({ lookups }: ComparedKind, conditions: readonly Condition[]): readonly string[] | null {
  const needed = conditions.map(({ field }) => lookups.find(({ fields }) => field in fields)?.name)
  return needed.every((name) => name !== undefined) ? [...new Set(needed)] : null
}

/** Returns whether the signal meets all conditions. A condition on a field without a value is not met. */
export const fits = ({ values }: Pick<Signal, 'values'>, conditions: readonly Condition[]): boolean =>
  conditions.every(({ field, is, value }) => {
    const its = values[field] ?? null
    if (its === null) return false
    if (is === '=') return its === value
    return is === '<=' ? its <= value : its >= value
  })
