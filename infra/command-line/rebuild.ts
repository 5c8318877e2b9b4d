/** `launch-data project --rebuild`: the tables made again from the log, with the same answers. */
import { rebuildTables } from '../../projections/main.ts'
import type { Config } from '../config.ts'
import { logSettings, openLog } from '../log/open-log.ts'
import type { Logger } from '../telemetry.ts'
import { createProgressLine } from './progress-line.ts'
import { lockIfEmbedded } from './up.ts'

export async function runRebuild(config: Config, logger: Logger, signal: AbortSignal): Promise<void> {
  const lock = await lockIfEmbedded(config)
  const open = await openLog(logSettings(config, { nowMs: Date.now, logger }))
  const line = createProgressLine(process.stderr, Date.now)
  let rowCount = 0
  try {
    await rebuildTables({
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
    await lock?.release()
  }
}
