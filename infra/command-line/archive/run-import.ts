/** Runs `launch-data import`. */
import { importArchive } from '../../archive/import-archive.ts'
import { refuseUnfinishedRestore } from '../../data-dir/unfinished-restore.ts'
import { logSettings, openLog } from '../../log/open-log.ts'
import { takeDataDir } from '../up.ts'
import { daysText, print, type Running, sizeOf } from './run-archive.ts'

export async function runImport(folder: string, { config, logger, signal }: Running): Promise<void> {
  refuseUnfinishedRestore(config.DATA_DIR)
  const lock = await takeDataDir(config, logger)
  let publishedAtMs = 0
  const atPublished = (atMs: number) => {
    publishedAtMs = atMs
  }
  const open = await openLog(logSettings(config, { nowMs: () => publishedAtMs, logger }))
  try {
    const { manifests, newIds } = await importArchive({ folder, target: { ...open, atPublished }, signal })
    print(`imported ${sizeOf(manifests)}, ${daysText(manifests)}`)
    if (newIds > 0) print(`${newIds} schemas have other ids in this log, so their records begin with other bytes.`)
    print('Payments, addresses and snapshots are not in such files. They are only in a backup.')
  } finally {
    await open.close()
    await lock?.release()
  }
}
