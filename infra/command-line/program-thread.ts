/**
 * Runs a program in a separate thread, so that a long read of past data does not block the API's event loop.
 */
import { Worker } from 'node:worker_threads'
import type { Config } from '../config.ts'
import { OperationError } from '../errors.ts'
import type { Reading } from '../metrics/metrics.ts'
import type { ProgramName, Share } from '../program.ts'
import type { Console } from './console.ts'
import type { MessageToWorker, WorkerData, WorkerMessage } from './program-worker.ts'

export type ProgramThread = Readonly<{
  /** Resolves when the program has ended after `stop`. Rejects with the failure of the program. */
  done: Promise<void>
  stop(): void
  /** Returns the metrics of the thread. May take long if the thread is busy, and never resolves after its end. */
  readings(): Promise<readonly Reading[]>
}>

type ThreadOptions = Readonly<{
  config: Config
  console: Pick<Console, 'report' | 'threadLog'>
  /** The share of the program's partitions that the thread processes. Default: all partitions. */
  share?: Share
  /** Whether the thread measures itself. Default: false. */
  isMeasured?: boolean
}>

/**
 * The size of the memory for new objects. V8 would use up to 48 MB per thread. With less, it moves objects to the old
 * memory a little earlier.
 */
const maxYoungGenerationSizeMb = 12

export function startThread(
  program: ProgramName,
  { config, console, share = { index: 0, count: 1 }, isMeasured = false }: ThreadOptions,
): ProgramThread {
  const { level, write } = console.threadLog
  const workerData: WorkerData = { program, config, share, level, sendsLog: write !== null, isMeasured }
  const worker = new Worker(new URL('./program-worker.js', import.meta.url), {
    workerData,
    // With `false`, the standard error of the thread goes to the standard error of the process.
    stderr: false,
    resourceLimits: { maxYoungGenerationSizeMb },
  })
  const asked = createAsked(() => send('readings'))
  const send = (message: MessageToWorker) => worker.postMessage(message)
  worker.on('message', (message: WorkerMessage) => {
    if ('line' in message) write?.(message.line)
    else if ('readings' in message) asked.answer(message.readings)
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
  return { done, stop: () => send('stop'), readings: asked.ask }
}

/**
 * Asks a thread for its metrics. While an answer is open, no other message is sent. So a busy thread never has more than
 * one message to answer.
 */
function createAsked(send: () => void) {
  let open: Readonly<{ answer: Promise<readonly Reading[]>; resolve: (readings: readonly Reading[]) => void }> | null =
    null
  return {
    ask(): Promise<readonly Reading[]> {
      if (open) return open.answer
      let resolve: (readings: readonly Reading[]) => void = () => {}
      const answer = new Promise<readonly Reading[]>((resolved) => {
        resolve = resolved
      })
      open = { answer, resolve }
      send()
      return answer
    },
    answer(readings: readonly Reading[]): void {
      open?.resolve(readings)
      open = null
    },
  }
}
