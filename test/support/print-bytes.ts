/** Prints how many bytes of the heap a value of each maker takes, as JSON. Usage: URL of a module with `makers`. */
import assert from 'node:assert/strict'
import type { Makers } from './bytes-of.ts'

const madeCount = 4_000
const roundCount = 3

const [url] = process.argv.slice(2)
assert(url !== undefined && gc !== undefined)
const { makers }: { makers: Makers } = await import(url)
console.log(JSON.stringify(Object.fromEntries(Object.entries(makers).map(([name, make]) => [name, medianOf(make)]))))

/** Returns the median of some rounds, because the runtime allocates at the same time, such as compiled code. */
function medianOf(make: () => unknown): number {
  const rounds = Array.from({ length: roundCount }, () => measureOnce(make)).sort((left, right) => left - right)
  return rounds[Math.floor(roundCount / 2)] ?? Number.NaN
}

function measureOnce(make: () => unknown): number {
  collect()
  const before = process.memoryUsage().heapUsed
  const made = Array.from({ length: madeCount }, make)
  collect()
  const bytes = (process.memoryUsage().heapUsed - before) / madeCount
  assert(made.length === madeCount)
  return bytes
}

/** The second collection frees objects whose finalizers ran in the first. */
function collect(): void {
  gc?.()
  gc?.()
}
