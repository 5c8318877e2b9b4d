/** Starts and controls a thread of the soak. */
import { Worker } from 'node:worker_threads'
import type { SoakWorkerData, SoakWorkerMessage } from './soak-worker.ts'

export type SoakThread = Readonly<{
  /** Rejects when the thread fails. */
  done: Promise<void>
  stop(): void
  /** Resolves when the thread has collected its garbage. */
  collectGarbage(): Promise<void>
}>

export function startSoakThread(workerData: SoakWorkerData): SoakThread {
  const worker = new Worker(new URL('./soak-worker.js', import.meta.url), { workerData })
  const tell = (message: SoakWorkerMessage) => worker.postMessage(message)
  const done = new Promise<void>((resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', () => resolve())
  })
  done.catch(() => {})
  return {
    done,
    stop: () => tell('stop'),
    collectGarbage: () => {
      const collected = new Promise<void>((resolve) => {
        worker.once('message', () => resolve())
      })
      tell('collect-garbage')
      return Promise.race([collected, done])
    },
  }
}
