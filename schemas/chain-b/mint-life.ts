/**
 * When ingest and the stage forget a mint. A mint on its curve is forgotten after `curveLifeMs` without a fact. If the mint trades again,
 * ingest finds it again (`CurveFound`).
 */
import { type DurationMs, dayMs, minuteMs } from '../units.ts'

export const curveLifeMs: DurationMs = dayMs

/** The time for which a graduated mint is followed after its curve was complete. */
export const graduatedLifeMs: DurationMs = 65 * minuteMs
