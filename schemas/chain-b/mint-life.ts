/**
 * The times after which ingest and the stage forget a mint. If a mint trades again after `curveLifeMs` without a fact, ingest finds it
 * again (`CurveFound`).
 */
import { type DurationMs, dayMs, minuteMs } from '../units.ts'

export const curveLifeMs: DurationMs = dayMs

/** The time for which a graduated mint is followed after its curve was complete. */
export const graduatedLifeMs: DurationMs = 65 * minuteMs
