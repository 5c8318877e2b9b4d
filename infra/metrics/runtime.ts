/** Measures the JavaScript engine of this thread: memory, garbage collections and the event loop. */
import { constants, type PerformanceEntry, PerformanceObserver, performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { loggedLines } from '../telemetry.ts'
import type { Metrics } from './metrics.ts'

const kinds: ReadonlyMap<unknown, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weak'],
])

/** The detail of an entry is missing in the types of Node. */
type Collection = PerformanceEntry & Readonly<{ detail?: Readonly<{ kind?: unknown }> }>

const kindOf = ({ detail }: Collection): string => kinds.get(detail?.kind) ?? 'other'

/** Measures until the returned function is called. `thread` is the value of the label `thread`. */
export function measureRuntime(metrics: Metrics, thread: string | number): () => void {
  const observe = metrics.observer('launch_data_gc_duration_seconds')
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) observe(entry.duration / 1000, { thread, kind: kindOf(entry) })
  })
  observer.observe({ entryTypes: ['gc'] })
  metrics.read('launch_data_heap_used_bytes', () => [[getHeapStatistics().used_heap_size, { thread }]])
  metrics.read('launch_data_heap_limit_bytes', () => [[getHeapStatistics().heap_size_limit, { thread }]])
  metrics.read('launch_data_event_loop_busy_seconds_total', () => [
    [performance.eventLoopUtilization().active / 1000, { thread }],
  ])
  metrics.read('launch_data_logged_lines_total', () =>
    Object.entries(loggedLines).map(([level, count]) => [count, { thread, level }] as const),
  )
  return () => observer.disconnect()
}
