/**
 * Returns a copy of `value` with some doubles replaced by the doubles at the same place of `counted`: those
 * that are almost equal. Two computations may add doubles in different orders. Rounding would not help,
 * because rounding can separate two close doubles.
 */
export function alignDoubles(value: unknown, counted: unknown): unknown {
  if (typeof value === 'number' && typeof counted === 'number') return isNear(value, counted) ? counted : value
  if (value === null || typeof value !== 'object' || counted === null || typeof counted !== 'object') return value
  const others = new Map(Object.entries(counted))
  if (Array.isArray(value)) return value.map((each, index) => alignDoubles(each, others.get(`${index}`)))
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, alignDoubles(each, others.get(name))]))
}

const isNear = (left: number, right: number): boolean =>
  Math.abs(left - right) <= 1e-9 * Math.max(Math.abs(left), Math.abs(right))
