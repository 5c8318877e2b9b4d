/** Ingest and the stage forget a mint without a fact for this long. If it trades again, it is found again (`CurveFound`). */
import { type DurationMs, dayMs, minuteMs } from '../units.ts'

export const curveLifeMs: DurationMs = dayMs

/** A graduated mint is followed for this long after its curve was complete. */
export const graduatedLifeMs: DurationMs = 65 * minuteMs
