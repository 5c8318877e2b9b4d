/** Measures what belongs to the whole process: its age, its processor time, its memory and its disk. */
import { statfs } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import packageFile from '../../package.json' with { type: 'json' }
import type { OpenLog } from '../log/open-log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Readiness } from '../program.ts'

type Measured = Readonly<{ dataDir: string; readiness: () => Promise<Readiness> }>

export function measureProcess(metrics: Metrics, { dataDir, readiness }: Measured): void {
  const { version } = packageFile
  metrics.read('launch_data_build_info', () => [[1, { version, node: process.version }]])
  metrics.read('launch_data_start_timestamp_seconds', () => [[performance.timeOrigin / 1000, {}]])
  metrics.read('launch_data_cpu_seconds_total', () => {
    const { user, system } = process.cpuUsage()
    return [[(user + system) / 1_000_000, {}]]
  })
  metrics.read('launch_data_resident_memory_bytes', () => [[process.memoryUsage.rss(), {}]])
  metrics.read('launch_data_data_dir_free_bytes', async () => {
    const { bavail, bsize } = await statfs(dataDir)
    return [[bavail * bsize, {}]]
  })
  metrics.read('launch_data_ready', async () => [[(await readiness()) === 'ok' ? 1 : 0, {}]])
}

export function measureLog(metrics: Metrics, { sizes }: Pick<OpenLog, 'sizes'>): void {
  metrics.read('launch_data_log_bytes', async () =>
    [...((await sizes?.()) ?? [])].map(([environment, bytes]) => [bytes, { environment }] as const),
  )
}
