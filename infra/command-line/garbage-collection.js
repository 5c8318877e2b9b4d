// Settings of V8's garbage collector, for all threads of a process. Call these functions before a bundle is loaded, because
// stored code is only valid for the same flags of V8.
import { setFlagsFromString } from 'node:v8'

/**
 * By this time, the threads have loaded their programs and states, in milliseconds. It is also later than the time at
 * which `run-bundle.js` stores compiled code, because stored code is only valid for the same flags of V8.
 */
const startedAfterMs = 60_000

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
 * Makes V8 create objects in the young memory, where collections are cheap. By default, V8 decides at the beginning of a
 * run which lines of code create objects that live long, and creates the objects of these lines in the old memory. Short-lived
 * objects then stay there until a full collection (`infra/docs/decisions/code/objects-begin-in-the-young-memory.md`).
 */
export function allocateYoung() {
  setFlagsFromString('--no-allocation-site-pretenuring')
}
