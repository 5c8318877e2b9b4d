/** Describes the progress of ingest for people. */
import { behindText, type Progress } from '../infra/program.ts'
import type { EpochMs } from '../schemas/units.ts'
import type { IngestProgress } from './run-ingest.ts'

/**
 * Describes how far the ingest of a stage has come. With `isByTime`, the text has the time of the last block
 * instead of block numbers, because the block numbers of chats mean nothing to people.
 */
export function progressOf(
  stage: string,
  { phase, toBlock, headBlock, toAtMs }: Pick<IngestProgress, 'phase' | 'toBlock' | 'headBlock' | 'toAtMs'>,
  { nowMs, isByTime }: Readonly<{ nowMs: EpochMs; isByTime: boolean }>,
): Progress {
  const { state, behind } = behindText(toAtMs, nowMs)
  const reached = isByTime ? `read until ${timeText(toAtMs)}` : `block ${toBlock} of ${headBlock}`
  return { program: 'ingest', stage, state, hasCaughtUp: phase === 'live', text: `${behind}, ${reached}` }
}

/** Formats a time as `2026-01-31 12:00:05 UTC`. */
const timeText = (atMs: EpochMs): string => `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`
