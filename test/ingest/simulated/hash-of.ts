import { createHash } from 'node:crypto'

/** Returns the first 16 digits of the SHA-256 of the values as JSON. */
export function hashOf(values: readonly unknown[]): string {
  const hash = createHash('sha256')
  const plain = (_: string, value: unknown) => {
    if (typeof value === 'bigint') return `${value}n`
    return value instanceof Map ? [...value] : value
  }
  for (const value of values) hash.update(`${JSON.stringify(value, plain)}\n`)
  return hash.digest('hex').slice(0, 16)
}
