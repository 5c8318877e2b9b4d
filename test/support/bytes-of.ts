/** Measures the memory of a value. */
import assert from 'node:assert/strict'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const madeCount = 20_000

/** Returns how many bytes of the heap a value that `make` returns takes. What the values share is not counted. */
export function bytesOf(make: () => unknown): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const before = process.memoryUsage().heapUsed
  const made = Array.from({ length: madeCount }, make)
  collect()
  const bytes = (process.memoryUsage().heapUsed - before) / madeCount
  assert(made.length === madeCount)
  return bytes
}
