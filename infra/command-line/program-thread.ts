/**
 * Runs a program in a separate thread, so that a long read of past data does not block the API's event loop.
 */
import { Worker } from 'node:worker_threads'
import type { Config } from '../config.ts'
import { OperationError } from '../errors.ts'
import type { ProgramName, Share } from '../program.ts'
import type { Console } from './console.ts'
import type { WorkerData, WorkerMessage } from './program-worker.ts'

export type ProgramThread = Readonly<{
  /** Resolves when the program has ended after `stop`. Rejects with the failure of the program. */
  done: Promise<void>
  stop(): void
}>

type ThreadOptions = Readonly<{
  config: Config
  console: Pick<Console, 'report' | 'threadLog'>
  /** The share of the program's partitions that the thread processes. Default: all partitions. */
  share?: Share
}>

/**
 * The size of the memory for new objects. V8 would use up to 48 MB per thread. With less, it moves objects to the old
 * memory a little earlier.
 */
const maxYoungGenerationSizeMb = 12

export function startThread(
  program: ProgramName,
  { config, console, share = { index: 0, count: 1 } }: ThreadOptions,
): ProgramThread {
  const { level, write } = console.threadLog
  const workerData: WorkerData = { program, config, share, level, sendsLog: write !== null }
  const worker = new Worker(new URL('./program-worker.js', import.meta.url), {
    workerData,
    // With `false`, the standard error of the thread goes to the standard error of the process.
    stderr: false,
    resourceLimits: { maxYoungGenerationSizeMb },
  })
  worker.on('message', (message: WorkerMessage) => {
    if ('line' in message) write?.(message.line)
    else console.report(message.progress)
  })
  const done = new Promise<void>((resolve, reject) => {
    worker.once('error', (cause) =>
      reject(new OperationError('program_failed', `${program} failed: ${cause.message}`, { cause })),
    )
    worker.once('exit', (exitCode) =>
      exitCode === 0
        ? resolve()
        : reject(new OperationError('program_failed', `${program} ended unexpectedly with exit code ${exitCode}`)),
    )
  })
  // The caller handles the failure when it awaits `done`. Until then, this handler keeps Node from treating the failure
  // as unhandled.
  done.catch(() => {})
  return { done, stop: () => worker.postMessage('stop') }
}
