/** A curve is forgotten after this time without a fact. If the curve trades again, ingest finds it again (`CurveFound`). */
import { type DurationMs, dayMs } from '../units.ts'

export const curveLifeMs: DurationMs = 7 * dayMs
