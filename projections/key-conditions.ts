/** SQL conditions on the keys of rows. */

import assert from 'node:assert/strict'

/**
 * A condition on one column of the natural key, or on the leading column. All versions of a row have the same
 * natural key.
 */
export type KeyCondition =
  /** A range of whole numbers. Both ends are included. */
  | Readonly<{ from: number; to: number }>
  /** SQL that follows the column's name, such as `= {pool:String}` or `IN (SELECT …)`. */
  | Readonly<{ sql: string }>

export const keyFilters = (conditions: Readonly<Record<string, KeyCondition | undefined>>): readonly string[] =>
  Object.entries(conditions).flatMap(([column, condition]) =>
    condition === undefined ? [] : filterOf(column, condition),
  )

/** In the leading column, the version that withdraws a row has an empty text. So empty texts meet any condition there. */
export const leadingFilter = (column: string, condition: KeyCondition): string =>
  `(${filterOf(column, condition)} OR ${column} = '')`

function filterOf(column: string, condition: KeyCondition): string {
  if ('sql' in condition) return `${column} ${condition.sql}`
  return `${column} BETWEEN ${whole(condition.from)} AND ${whole(condition.to)}`
}

/**
 * Returns the number, or throws if it is not a whole number. The number becomes part of the SQL text, so it
 * must come from our code. It is not a query parameter, because the embedded engine runs such queries one at
 * a time.
 */
export function whole(value: number): number {
  assert(Number.isSafeInteger(value), `${value} is not a whole number`)
  return value
}
