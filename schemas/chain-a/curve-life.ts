/** A curve without a fact for this long is forgotten. If it trades again, it is found again (`CurveFound`). */
import { type DurationMs, dayMs } from '../units.ts'

export const curveLifeMs: DurationMs = 7 * dayMs
