/**
 * Runs one program inside a worker thread. The main thread stops it with a message. The program reports its progress in
 * messages.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { Config } from '../config.ts'
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
}>

export type WorkerMessage = Readonly<{ progress: Progress } | { line: string }>

const send = (message: WorkerMessage) => parentPort?.postMessage(message)

export async function runInWorker(): Promise<void> {
  const { program, config, share, level, sendsLog } = workerData as WorkerData
  const stopping = new AbortController()
  parentPort?.once('message', () => stopping.abort())
  const logger = sendsLog
    ? createLogger(program, level, { write: (line) => send({ line }) })
    : createLogger(program, level)
  const report = (progress: Progress) => send({ progress })
  await runProgram(program, { config, share, logger, report, signal: stopping.signal })
  parentPort?.close()
}
