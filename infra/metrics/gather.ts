/** Gathers the metrics of all threads of a process, and makes the text that Prometheus reads. */
import { setTimeout as sleep } from 'node:timers/promises'
import { definitionOf } from './list.ts'
import type { Reading } from './metrics.ts'

/** A thread of the process. `readings` may reject, or may take long if the thread is busy. */
export type MeasuredThread = Readonly<{
  program: string
  /** The value of the label `thread`. */
  thread: string | number
  readings(): Promise<readonly Reading[]>
}>

/**
 * The maximum time that a scrape waits for a thread, in ms. It is shorter than the ten seconds that Prometheus waits
 * for a scrape by default.
 */
const waitMsDefault = 3_000

/** Returns the readings of all threads that answer in time. The metric `launch_data_program_up` names the others. */
export async function gather(
  threads: readonly MeasuredThread[],
  waitMs = waitMsDefault,
): Promise<readonly (readonly Reading[])[]> {
  const timeUp = new AbortController()
  const late = sleep(waitMs, null, { signal: timeUp.signal }).catch(() => null)
  const answers = await Promise.all(threads.map((thread) => Promise.race([late, thread.readings().catch(() => null)])))
  timeUp.abort()
  const up = threads.map(({ program, thread }, index) => ({
    value: answers[index] ? 1 : 0,
    labels: { program, thread },
  }))
  return [[{ name: 'launch_data_program_up', values: up }], ...answers.filter((answer) => answer !== null)]
}

/** The text of the metrics. The package is loaded at the first scrape, because loading takes longer than a scrape. */
export async function metricsText(readings: readonly (readonly Reading[])[]): Promise<string> {
  const { AggregatorRegistry } = await import('prom-client')
  const described = readings.map((ofThread) =>
    ofThread.map(({ name, values }) => {
      const { help, type } = definitionOf(name)
      return { name, help, type, values, aggregator: 'sum' }
    }),
  )
  return AggregatorRegistry.aggregate(described).metrics()
}
