/** The time without a fact after which a curve is forgotten. If it trades again, ingest finds it again (`CurveFound`). */
import { type DurationMs, dayMs } from '../units.ts'

export const curveLifeMs: DurationMs = 7 * dayMs
