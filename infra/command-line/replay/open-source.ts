import { openArchiveRange } from '../../archive/open-range.ts'
import type { Config } from '../../config.ts'
import { logSettings, type OpenReader, openLogReader } from '../../log/open-log.ts'
import type { Console } from '../console.ts'

type Source = Readonly<{
  config: Config
  logger: Console['logger']
  range: Readonly<{ from: number; to: number }>
  /** The folder of archive files to read instead of the log. */
  files: string | undefined
}>

/** Opens what a replay reads: the log that the configuration names, or files. */
export const openSource = ({ config, logger, range, files }: Source): Promise<OpenReader> =>
  files === undefined ? openLogReader(logSettings(config, { nowMs: Date.now, logger })) : openArchiveRange(files, range)
