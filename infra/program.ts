/** The types that programs share: what each program is given, and what it reports. */
import type { Config } from './config.ts'
import type { Logger } from './telemetry.ts'

/** The programs that run beside the API. */
export type ProgramName = 'ingest' | 'process' | 'project'

/** The progress of a program in one stage, for people. */
export type Progress = Readonly<{
  program: ProgramName
  stage: string
  state: ProgressState
  /** Whether it has read all of its input, however old that is. */
  hasCaughtUp: boolean
  text: string
}>

/** `folding`: the program recomputes its state from facts that were processed before the start. */
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

/** A block time this close to now is live. Older facts come from a backfill. */
export const liveMs = 120_000

/** How far a block time is behind now, and whether it is live. */
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
