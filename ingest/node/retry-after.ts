/** A longer pause is cut to this. */
import { type DurationMs, type EpochMs, minuteMs } from '../../schemas/units.ts'

const retryAfterMsMax = minuteMs

/** The pause that a node asks for, in ms. The header holds seconds or a date. 0 if it is missing or unreadable. */
export function retryAfterMsOf(headers: Headers, nowMs: EpochMs): DurationMs {
  const text = headers.get('retry-after')
  if (text === null) return 0
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - nowMs
  return Number.isNaN(ms) ? 0 : Math.min(retryAfterMsMax, Math.max(0, ms))
}
