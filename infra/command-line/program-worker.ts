/** The inside of a worker thread: one program, told to stop by a message, telling its progress by messages. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Config } from '../config.ts'
import type { ProgramName, Progress, Share } from '../program.ts'
import { createLogger } from '../telemetry.ts'
import { programs } from './programs.ts'

type WorkerData = Readonly<{ program: ProgramName; config: Config; share: Share }>

export async function runInWorker(): Promise<void> {
  const { program, config, share } = workerData as WorkerData
  const stopping = new AbortController()
  parentPort?.once('message', () => stopping.abort())
  const logger = createLogger(program, config.LOG_LEVEL)
  const report = (progress: Progress) => parentPort?.postMessage(progress)
  await programs[program]({ config, share, logger, report, signal: stopping.signal })
  parentPort?.close()
}
