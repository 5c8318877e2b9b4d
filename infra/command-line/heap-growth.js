// Limits the memory of the service, which has several threads.
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
 * Call this function before a bundle is loaded.
 *
 * @param {number} afterMs the time after which the start is over, in milliseconds
 */
export function limitHeapGrowth(afterMs = startedAfterMs) {
  setFlagsFromString('--heap-growing-percent=100')
  setTimeout(() => setFlagsFromString('--heap-growing-percent=30'), afterMs).unref()
}
