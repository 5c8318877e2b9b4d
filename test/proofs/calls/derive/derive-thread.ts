/** The thread that ingests and derives, seen from the one that fills the tables: each has a core of its own. */
import { on } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { DeriveData, Derived } from './derive-worker.ts'

/** Records live for a step or for days. Those of a step should not be taken for the others. */
const resourceLimits = { maxYoungGenerationSizeMb: 384, maxOldGenerationSizeMb: 4096 }

/** Ends with the plan. Throws when the thread fails. */
export async function* deriveInThread(workerData: DeriveData): AsyncGenerator<Derived> {
  const worker = new Worker(new URL('./derive-worker.js', import.meta.url), { workerData, resourceLimits })
  try {
    for await (const [derived] of on(worker, 'message', { close: ['exit'] })) yield derived as Derived
  } finally {
    await worker.terminate()
  }
}
