import { type DurationMs, type EpochMs, minuteMs } from '../../schemas/units.ts'

/** The longest pause that a node can request, in ms. A longer requested pause is shortened to this value. */
const retryAfterMsMax = minuteMs

/**
 * Returns the pause that a node requests, in ms. The header contains seconds or a date. Returns 0 if the
 * header is missing or cannot be read.
 */
export function retryAfterMsOf(headers: Headers, nowMs: EpochMs): DurationMs {
  const text = headers.get('retry-after')
  if (text === null) return 0
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - nowMs
  return Number.isNaN(ms) ? 0 : Math.min(retryAfterMsMax, Math.max(0, ms))
}
