/**
 * The age at which ingest and the stage forget a pool. The last bursts fire at an age of 24 h, and their
 * outcomes take half an hour. One more hour is added for safety.
 */
import { type DurationMs, hourMs } from '../units.ts'

export const poolLifeMs: DurationMs = 25.5 * hourMs
