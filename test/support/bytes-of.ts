/** Measures the memory of a value. */
import assert from 'node:assert/strict'
import { collectGarbage } from './collect-garbage.ts'

const madeCount = 20_000

/** Returns how many bytes of the heap a value that `make` returns takes. What the values share is not counted. */
export function bytesOf(make: () => unknown): number {
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  const made = Array.from({ length: madeCount }, make)
  collectGarbage()
  const bytes = (process.memoryUsage().heapUsed - before) / madeCount
  assert(made.length === madeCount)
  return bytes
}
