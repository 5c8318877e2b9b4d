/** Measures the memory of a value. */
import assert from 'node:assert/strict'
import { collectGarbage } from './collect-garbage.ts'

const madeCount = 20_000
const roundCount = 3

/**
 * Returns how many bytes of the heap a value that `make` returns takes. What the values share is not counted. The result is
 * the median of some rounds, because the runtime allocates at the same time, such as compiled code.
 */
export function bytesOf(make: () => unknown): number {
  const rounds = Array.from({ length: roundCount }, () => measureOnce(make)).sort((left, right) => left - right)
  return rounds[Math.floor(roundCount / 2)] ?? Number.NaN
}

function measureOnce(make: () => unknown): number {
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  const made = Array.from({ length: madeCount }, make)
  collectGarbage()
  const bytes = (process.memoryUsage().heapUsed - before) / madeCount
  assert(made.length === madeCount)
  return bytes
}
