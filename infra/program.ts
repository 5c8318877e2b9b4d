/** The words of the programs that run beside the API. */
import type { Config } from './config.ts'
import type { Logger } from './telemetry.ts'

export type ProgramName = 'ingest' | 'process' | 'project'

/** How far a program is; `text` is for a person. */
export type Progress = Readonly<{ program: ProgramName; text: string; isLive: boolean }>

/** One thread of several that share a program's partitions. */
export type Share = Readonly<{ index: number; count: number }>

export type ProgramContext = Readonly<{
  config: Config
  share: Share
  logger: Logger
  signal: AbortSignal
  report: (progress: Progress) => void
}>
