/**
 * The metrics of one thread, as plain numbers. Programs register functions that return the values, and a scrape calls
 * these functions. So a metric costs nothing between two scrapes. Only histograms collect values, in bounded memory.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { definitionOf, type MetricName, type metricList } from './list.ts'

type NameOf<Type extends string> = {
  [Name in MetricName]: (typeof metricList)[Name]['type'] extends Type ? Name : never
}[MetricName]

type LabelsOf<Name extends MetricName> = Readonly<Record<(typeof metricList)[Name]['labels'][number], string | number>>

type Sample<Name extends MetricName> = readonly [value: number, labels: LabelsOf<Name>]

type Samples<Name extends MetricName> = readonly Sample<Name>[]

/** Observes one value of a histogram. */
type Observer<Name extends MetricName> = (value: number, labels: LabelsOf<Name>) => void

export type Metrics = Readonly<{
  /**
   * Registers the function that returns the values of a gauge or a counter. If the function fails or takes too long,
   * the metric has no values in this scrape.
   */
  read<Name extends NameOf<'gauge' | 'counter'>>(
    name: Name,
    samples: () => Samples<Name> | Promise<Samples<Name>>,
  ): void
  observer<Name extends NameOf<'histogram'>>(name: Name): Observer<Name>
}>

/** The values of a metric at a scrape. They can be sent between threads. */
export type Reading = Readonly<{ name: MetricName; values: readonly Value[] }>

type Labels = Readonly<Record<string, string | number>>
type Value = Readonly<{ value: number; labels: Labels; metricName?: string }>

export type MetricsOfThread = Metrics & Readonly<{ readings(): Promise<readonly Reading[]> }>

/** The metrics if nobody can scrape them. */
export const noMetrics: Metrics = { read: () => {}, observer: () => () => {} }

/** The maximum time in which a metric must be read, in ms. It is shorter than the time that a scrape waits for a thread. */
const readMs = 1_000

/** `program` is the value of the label `program` of all metrics. */
export function createMetrics(program: string): MetricsOfThread {
  const readers = new Map<MetricName, () => Promise<readonly Value[]>>()
  const register = (name: MetricName, values: () => Promise<readonly Value[]>) => {
    assert(!readers.has(name), `the metric ${name} is registered twice`)
    readers.set(name, values)
  }
  return {
    read(name, samples) {
      register(name, async () =>
        (await samples()).map(([value, labels]) => ({ value, labels: { program, ...labels } })),
      )
    },
    observer(name) {
      const histogram = createHistogram(name, definitionOf(name).bounds ?? [])
      register(name, async () => histogram.values(program))
      return histogram.observe
    },
    readings: () =>
      Promise.all([...readers].map(async ([name, values]) => ({ name, values: (await inTime(values())) ?? [] }))),
  }
}

/** Returns the result, or null if the promise rejects or takes too long. */
async function inTime<Result>(result: Promise<Result>): Promise<Result | null> {
  const settled = new AbortController()
  const late = sleep(readMs, null, { signal: settled.signal }).catch(() => null)
  const inTime = await Promise.race([result.catch(() => null), late])
  settled.abort()
  return inTime
}

type Buckets = { readonly labels: Labels; readonly counts: number[]; sum: number }

function createHistogram(name: MetricName, bounds: readonly number[]) {
  const all = new Map<string, Buckets>()
  const bucketsOf = (labels: Labels): Buckets => {
    const key = Object.values(labels).join('\n')
    const known = all.get(key)
    if (known) return known
    const created = { labels, counts: Array<number>(bounds.length + 1).fill(0), sum: 0 }
    all.set(key, created)
    return created
  }
  return {
    observe(value: number, labels: Labels): void {
      const buckets = bucketsOf(labels)
      const found = bounds.findIndex((bound) => value <= bound)
      const index = found < 0 ? bounds.length : found
      buckets.counts[index] = (buckets.counts[index] ?? 0) + 1
      buckets.sum += value
    },
    values: (program: string): readonly Value[] =>
      [...all.values()].flatMap(({ labels: own, counts, sum }) => {
        const labels = { program, ...own }
        let total = 0
        const buckets = counts.map((count, index) => {
          total += count
          return { value: total, labels: { ...labels, le: bounds[index] ?? '+Inf' }, metricName: `${name}_bucket` }
        })
        const whole = { value: total, labels, metricName: `${name}_count` }
        return [...buckets, { value: sum, labels, metricName: `${name}_sum` }, whole]
      }),
  }
}
