/**
 * How long a curve without new facts is kept. If the curve trades again after this time, ingest finds it
 * again (`CurveFound`).
 */
import { type DurationMs, dayMs } from '../units.ts'

export const curveLifeMs: DurationMs = 7 * dayMs
