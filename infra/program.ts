/** The words of the programs: what each is given, and what it says of itself. */
import type { Config } from './config.ts'
import type { Logger } from './telemetry.ts'

/** The programs that run beside the API. */
export type ProgramName = 'ingest' | 'process' | 'project'

/** How far a program is with one stage, for a person. */
export type Progress = Readonly<{
  program: ProgramName
  stage: string
  state: ProgressState
  /** With what it reads, however old that is. */
  hasCaughtUp: boolean
  text: string
}>

/** `folding`: state is computed again from facts that were processed before the start. */
type ProgressState = 'backfill' | 'folding' | 'live'

/** One thread of several that share a program's partitions. */
export type Share = Readonly<{ index: number; count: number }>

export type ProgramContext = Readonly<{
  config: Config
  share: Share
  logger: Logger
  signal: AbortSignal
  report: (progress: Progress) => void
}>

/** Block time this close to now is live. Older facts are told by a backfill. */
export const liveMs = 120_000

/** How far a block time is behind now, and whether that is live. */
export function behindText(blockAtMs: number, nowMs: number): Readonly<{ state: 'backfill' | 'live'; behind: string }> {
  const behindMs = Math.max(0, nowMs - blockAtMs)
  return { state: behindMs > liveMs ? 'backfill' : 'live', behind: `${durationText(behindMs)} behind` }
}

function durationText(durationMs: number): string {
  const seconds = Math.floor(durationMs / 1000)
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (hours > 0) return `${hours} h ${minutes % 60} min`
  return minutes > 0 ? `${minutes} min` : `${seconds} s`
}
