/**
 * `launch-data project --rebuild`: builds the tables again from the log. The new tables give the same answers
 * as the old tables.
 */
import { rebuildTables } from '../../projections/main.ts'
import type { Config } from '../config.ts'
import { logSettings, openLog } from '../log/open-log.ts'
import { behindText } from '../program.ts'
import type { Console } from './console.ts'
import { takeDataDir } from './up.ts'

export async function runRebuild(config: Config, console: Console, signal: AbortSignal): Promise<void> {
  const { logger } = console
  const lock = await takeDataDir(config, logger)
  const open = await openLog(logSettings(config, { nowMs: Date.now, logger }))
  let rowCount = 0
  try {
    await rebuildTables({
      ...open,
      database: { url: config.CLICKHOUSE_URL, dataDir: config.DATA_DIR },
      logger,
      signal,
      onProgress: ({ projection, rowCount: count, blockAtMs }) => {
        rowCount += count
        const { behind } = behindText(blockAtMs, Date.now())
        const text = `${rowCount} rows, ${behind}`
        console.report({
          program: 'project',
          stage: projection.stage.name,
          state: 'backfill',
          hasCaughtUp: false,
          text,
        })
      },
    })
    console.close()
    process.stdout.write(
      signal.aborted ? 'the rebuild was stopped; the tables have not changed\n' : `rebuilt: ${rowCount} rows\n`,
    )
  } finally {
    await open.close()
    await lock?.release()
  }
}
