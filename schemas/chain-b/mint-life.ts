/**
 * How long ingest and the stage keep a mint. A mint on its curve is forgotten after `curveLifeMs` without a
 * fact. If the mint trades again, ingest finds it again (`CurveFound`).
 */
import { type DurationMs, dayMs, minuteMs } from '../units.ts'

export const curveLifeMs: DurationMs = dayMs

/** How long a graduated mint is followed after its curve is complete. */
export const graduatedLifeMs: DurationMs = 65 * minuteMs
