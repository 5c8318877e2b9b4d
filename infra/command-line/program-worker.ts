/**
 * Runs one program inside a worker thread. The main thread stops it with a message. The program reports its progress in
 * messages.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { Config } from '../config.ts'
import { createMetrics, type MetricsOfThread, type Reading } from '../metrics/metrics.ts'
import { measureRuntime } from '../metrics/runtime.ts'
import type { ProgramName, Progress, Share } from '../program.ts'
import { createLogger } from '../telemetry.ts'
import { runProgram } from './programs.ts'

/**
 * If `sendsLog` is true, the thread sends its log lines to the main thread, which shows them. Otherwise the thread
 * writes them to standard error.
 */
export type WorkerData = Readonly<{
  program: ProgramName
  config: Config
  share: Share
  level: string
  sendsLog: boolean
  isMeasured: boolean
}>

export type WorkerMessage = Readonly<{ progress: Progress } | { line: string } | { readings: readonly Reading[] }>

/** `readings`: the thread sends its metrics. */
export type MessageToWorker = 'stop' | 'readings'

const send = (message: WorkerMessage) => parentPort?.postMessage(message)

export async function runInWorker(): Promise<void> {
  const { program, config, share, level, sendsLog, isMeasured } = workerData as WorkerData
  const stopping = new AbortController()
  const metrics = createMetrics(program)
  if (isMeasured) measureRuntime(metrics, share.index)
  parentPort?.on('message', (message: MessageToWorker) => {
    if (message === 'stop') stopping.abort()
    else void sendReadings(metrics)
  })
  const logger = sendsLog
    ? createLogger(program, level, { write: (line) => send({ line }) })
    : createLogger(program, level)
  const report = (progress: Progress) => send({ progress })
  await runProgram(program, { config, share, logger, report, metrics, signal: stopping.signal })
  parentPort?.close()
}

async function sendReadings(metrics: MetricsOfThread): Promise<void> {
  send({ readings: await metrics.readings() })
}
