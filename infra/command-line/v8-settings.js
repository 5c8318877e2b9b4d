// Settings of V8 for all threads of a process. Call these functions before a bundle is loaded, because stored code is only
// valid for the same flags of V8.
import { setFlagsFromString } from 'node:v8'

/**
 * By this time, the threads have loaded their programs and states, in milliseconds. It is also later than the time at
 * which `run-bundle.js` stores compiled code, because stored code is only valid for the same flags of V8.
 */
const startedAfterMs = 60_000

/**
 * The flags that say how much a function runs before V8 optimizes it: during a start, and by default. V8 of Node 20 counts
 * the bytes of the code that ran. V8 of Node 22 and 24 counts the calls before its last step, which costs the most. From
 * Node 25 on, no flag is set, because a start did not become faster with Node 26.
 */
const optimizing = optimizingOf(Number.parseInt(process.versions.v8, 10))

/** @param {number} version of V8 */
function optimizingOf(version) {
  if (version < 12) return { late: '--interrupt-budget=500000', byDefault: '--interrupt-budget=67584' }
  // V8 multiplies this number by the length of a function, up to 61,440 bytes, and keeps the product in 32 bits.
  const flag = '--invocation-count-for-turbofan'
  return version < 14 ? { late: `${flag}=22000`, byDefault: `${flag}=3000` } : null
}

/**
 * Makes V8 collect garbage earlier, in all threads. By default, the old memory of a thread may grow up to four times
 * before V8 collects garbage. Here it may double during a start, and grow by 30 % after it. During a start, each thread
 * loads its state, and with 30 % the collections would take a third of the CPU time.
 *
 * @param {number} afterMs the time after which the start is over, in milliseconds
 */
export function limitHeapGrowth(afterMs = startedAfterMs) {
  setFlagsFromString('--heap-growing-percent=100')
  setTimeout(() => setFlagsFromString('--heap-growing-percent=30'), afterMs).unref()
}

/**
 * Makes V8 optimize fewer functions during a start. Many functions of a start run just enough for V8 to optimize them, and
 * hardly run again. V8's own threads do this, and take the cores from the threads that load their states
 * (`infra/docs/decisions/code/functions-are-optimized-after-the-start.md`).
 *
 * @param {number} afterMs the time after which functions that have not run yet are optimized as by default, in milliseconds
 */
export function optimizeAfterStart(afterMs = startedAfterMs) {
  if (optimizing === null) return
  const { late, byDefault } = optimizing
  setFlagsFromString(late)
  setTimeout(() => setFlagsFromString(byDefault), afterMs).unref()
}

/**
 * Makes V8 create objects in the young memory, where collections are cheap. By default, V8 decides at the beginning of a
 * run which lines of code create objects that live long, and creates the objects of these lines in the old memory. Short-lived
 * objects then stay there until a full collection (`infra/docs/decisions/code/objects-begin-in-the-young-memory.md`).
 */
export function allocateYoung() {
  setFlagsFromString('--no-allocation-site-pretenuring')
}
