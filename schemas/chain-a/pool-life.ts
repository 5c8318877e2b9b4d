/**
 * The age at which ingest and the stage forget a pool. Bursts can fire until an age of 24 h, an outcome takes half an hour more, and
 * one hour is margin.
 */
import { type DurationMs, hourMs } from '../units.ts'

export const poolLifeMs: DurationMs = 25.5 * hourMs
