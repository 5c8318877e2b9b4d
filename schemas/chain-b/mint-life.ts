/**
 * When ingest and the stage forget a mint. On its curve, a mint is forgotten after `curveLifeMs` without a fact. If the mint trades again,
 * ingest finds it again (`CurveFound`).
 */
import { type DurationMs, dayMs, minuteMs } from '../units.ts'

export const curveLifeMs: DurationMs = dayMs

/** A graduated mint is followed for this time after the completion of its curve. */
export const graduatedLifeMs: DurationMs = 65 * minuteMs
