/**
 * Runs ingest and the stages in a separate thread. Meanwhile the caller of this function can fill the
 * database tables.
 */
import { on } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { DeriveData, Derived } from './derive-worker.ts'

/**
 * Some records are kept only for one step, others for days. A large young generation keeps the short-lived
 * records out of the old generation.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 384, maxOldGenerationSizeMb: 4096 }

/** Yields the derived records until the plan ends. Throws if the thread fails. */
export async function* deriveInThread(workerData: DeriveData): AsyncGenerator<Derived> {
  const worker = new Worker(new URL('./derive-worker.js', import.meta.url), { workerData, resourceLimits })
  try {
    for await (const [derived] of on(worker, 'message', { close: ['exit'] })) yield derived as Derived
  } finally {
    await worker.terminate()
  }
}
