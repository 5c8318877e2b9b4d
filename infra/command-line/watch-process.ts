/**
 * Ensures that a program ends within a time limit, even if its main thread hangs. The thread of `watchdog.js`
 * kills the process if necessary.
 */
import { Worker } from 'node:worker_threads'

const shared = new Int32Array(new SharedArrayBuffer(8))
const limitsDefault = { stuckSec: 30, endSec: 60 }

/** Watches this process until `stop` is called. A process can have only one such watch at a time. */
export function watchProcess(limits: Partial<typeof limitsDefault> = {}): Readonly<{ stop(): Promise<void> }> {
  const beating = setInterval(() => void Atomics.add(shared, 0, 1), 500)
  const worker = new Worker(new URL('./watchdog.js', import.meta.url), {
    workerData: { shared, ...limitsDefault, ...limits },
    execArgv: [],
  })
  worker.unref()
  beating.unref()
  return {
    async stop() {
      clearInterval(beating)
      await worker.terminate()
    },
  }
}

/**
 * Starts the time limit for a clean end. The watchdog kills the process if the process still runs 60 s later.
 */
export const mustEndSoon = (): void => void Atomics.store(shared, 1, 1)
