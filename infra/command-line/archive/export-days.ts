import type { Config } from '../../config.ts'
import type { Console } from '../console.ts'

type Running = Readonly<{ logger: Console['logger']; signal: AbortSignal }>

/** Exports each finished day if the configuration names a folder. The modules for it are loaded only then. */
export async function exportDays({ ARCHIVE_DIR: folder }: Config, running: Running): Promise<void> {
  if (folder === undefined) return
  const { exportFinishedDays } = await import('./keep-exporting.ts')
  await exportFinishedDays(folder, running)
}
