import type { Config } from '../../config.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { Console } from '../console.ts'

type Running = Readonly<{ logger: Console['logger']; metrics: Metrics; signal: AbortSignal }>

/** Exports each finished day if the configuration names a folder. The modules for it are loaded only then. */
export async function exportDays({ ARCHIVE_DIR: folder }: Config, { logger, metrics, signal }: Running): Promise<void> {
  let failedDays = 0
  metrics.read('launch_data_archive_failures', () => [[failedDays, {}]])
  if (folder === undefined) return
  const onLook = (failed: number) => {
    failedDays = failed
  }
  const { exportFinishedDays } = await import('./keep-exporting.ts')
  await exportFinishedDays(folder, { logger, onLook, signal })
}
