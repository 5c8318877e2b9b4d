/**
 * The age at which ingest and the stage forget a pool: bursts can fire for 24 h, an outcome takes half an hour, and one hour is
 * spare.
 */
import { type DurationMs, hourMs } from '../units.ts'

export const poolLifeMs: DurationMs = 25.5 * hourMs
