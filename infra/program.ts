/** The types that programs share: the context that each program gets, and the progress that it reports. */
import type { Config } from './config.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Logger } from './telemetry.ts'

/** The programs that run beside the API. */
export type ProgramName = 'ingest' | 'process' | 'project'

/** The progress of a program in one stage (one chain or the chats), as people see it. */
export type Progress = Readonly<{
  program: ProgramName
  stage: string
  state: ProgressState
  /** Whether the program has read all of its input. The input itself may be old. */
  hasCaughtUp: boolean
  text: string
}>

/** `folding` means that the program recomputes its state from facts that were processed before the start. */
type ProgressState = 'backfill' | 'folding' | 'live'

/** The index of a thread, and the number of threads of its process that share a program's partitions. */
export type Share = Readonly<{ index: number; count: number }>

export type ProgramContext = Readonly<{
  config: Config
  share: Share
  logger: Logger
  signal: AbortSignal
  report: (progress: Progress) => void
  /** Default: the program is not measured. */
  metrics?: Metrics
}>

/** Whether a service can serve requests. `warming_up`: a chain has no data yet. `draining`: the service is stopping. */
export type Readiness = 'ok' | 'warming_up' | 'draining'

/** The maximum age of a block that counts as live, in milliseconds. Older facts come from a backfill. */
export const liveMs = 120_000

/** The age of a block as text, and whether the block is live. */
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
