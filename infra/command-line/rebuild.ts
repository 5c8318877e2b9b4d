/** `launch-data project --rebuild`: the tables made again from the log, with the same answers. */
import { rebuildProjections } from '../../projections/rebuild.ts'
import type { Config } from '../config.ts'
import { lockDataDir } from '../log/data-dir-lock.ts'
import { openLog } from '../open-log.ts'
import type { Logger } from '../telemetry.ts'
import { createProgressLine } from './progress-line.ts'

export async function runRebuild(config: Config, logger: Logger, signal: AbortSignal): Promise<void> {
  const lock = await lockDataDir(config.DATA_DIR)
  const open = await openLog({ dataDir: config.DATA_DIR, nowMs: Date.now })
  const line = createProgressLine(process.stderr, Date.now)
  let rowCount = 0
  try {
    await rebuildProjections({
      ...open,
      database: { url: config.CLICKHOUSE_URL, dataDir: config.DATA_DIR },
      logger,
      signal,
      onProgress: (progress) => {
        rowCount += progress.rowCount
        line.show(`${rowCount} rows, to ${new Date(progress.knownAtMs).toISOString()}`)
      },
    })
    line.end()
    process.stdout.write(signal.aborted ? 'stopped; the tables are as they were\n' : `rebuilt: ${rowCount} rows\n`)
  } finally {
    line.end()
    await open.close()
    await lock.release()
  }
}
