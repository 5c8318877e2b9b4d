/** The port for operators of this process: the metrics of all its threads, and the probes. */
import { gather, type MeasuredThread, metricsText } from '../metrics/gather.ts'
import { createMetrics, type Metrics, noMetrics } from '../metrics/metrics.ts'
import { measureRuntime } from '../metrics/runtime.ts'
import { type MetricsServer, serveMetrics } from '../metrics/server.ts'
import type { Readiness } from '../program.ts'
import type { Logger } from '../telemetry.ts'
import { measureProcess } from './measure-process.ts'

export type OperatorPort = Readonly<{
  /** Whether anybody can scrape the metrics. */
  isOpen: boolean
  /** The metrics of the main thread. */
  metrics: Metrics
  /** Must be called for each other thread, so that a scrape asks it. */
  add(thread: MeasuredThread): void
  /** Sets the function that `/readyz` calls. Before this call, `/readyz` answers that the service warms up. */
  readyWhen(readiness: () => Promise<Readiness>): void
  /** From this call on, `/readyz` answers that the service is stopping. */
  drain(): void
  close(): Promise<void>
}>

type Opening = Readonly<{
  /** 0 switches metrics off. */
  port: number
  /** The program of the main thread. */
  program: string
  dataDir: string
  logger: Logger
}>

/** The label `thread` of the main thread. The other threads have their index. */
const mainThread = 'main'

/** Never fails. If the port cannot be used, the process runs without metrics. */
export async function openOperatorPort({ port, program, dataDir, logger }: Opening): Promise<OperatorPort> {
  if (port === 0) return closedPort
  const metrics = createMetrics(program)
  const threads: MeasuredThread[] = [{ program, thread: mainThread, readings: metrics.readings }]
  let isDraining = false
  let readinessOf = async (): Promise<Readiness> => 'warming_up'
  const readiness = async () => (isDraining ? 'draining' : readinessOf())
  const text = async () => metricsText(await gather(threads))
  const server: MetricsServer | null = await serveMetrics(port, { text, readiness, logger })
  if (server === null) return closedPort
  const stopMeasuring = measureRuntime(metrics, mainThread)
  measureProcess(metrics, { dataDir, readiness })
  return {
    isOpen: true,
    metrics,
    add: (thread) => void threads.push(thread),
    readyWhen(its) {
      readinessOf = its
    },
    drain() {
      isDraining = true
    },
    async close() {
      stopMeasuring()
      await server.close()
    },
  }
}

const closedPort: OperatorPort = {
  isOpen: false,
  metrics: noMetrics,
  add: () => {},
  readyWhen: () => {},
  drain: () => {},
  close: async () => {},
}
