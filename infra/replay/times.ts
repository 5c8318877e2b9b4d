/** Converts instants to text and text to instants. */

import type { EpochMs } from '../../schemas/units.ts'
import { OperationError } from '../errors.ts'

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * The minimum number of digits of epoch milliseconds. A shorter number is epoch seconds. Epoch seconds have 11 digits only from the year
 * 2286 on.
 */
const millisecondDigits = 11

/** The last instant that a `Date` holds. */
const dateMsMax = 8.64e15

/** An ISO date, or an ISO date and time. Without a zone, the time is UTC. */
const isoTime = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/

/**
 * Parses a time and returns epoch ms. The text is `now`, `-6h` (also s, m, d), epoch seconds or milliseconds, or an ISO time. Fails with
 * `config_invalid` for any other text.
 */
export function parseTime(text: string, nowMs: EpochMs): number {
  const atMs = timeIn(text.trim(), nowMs)
  if (atMs !== null && Math.abs(atMs) <= dateMsMax) return atMs
  throw new OperationError(
    'config_invalid',
    `"${text}" is not a time. Write now, -6h (s, m, h or d ago), 2026-01-31T12:00Z, epoch seconds or epoch milliseconds`,
  )
}

function timeIn(text: string, nowMs: EpochMs): number | null {
  if (text === 'now') return nowMs
  const ago = /^-(\d+(?:\.\d+)?)([smhd])$/.exec(text)
  if (ago) return nowMs - Math.round(Number(ago[1]) * (unitMs[ago[2] as string] as number))
  if (/^\d+$/.test(text)) return text.length < millisecondDigits ? Number(text) * 1_000 : Number(text)
  if (!isoTime.test(text)) return null
  const hasZone = text.length === 10 || /(Z|[+-]\d{2}:\d{2})$/.test(text)
  return Date.parse(hasZone ? text : `${text}Z`)
}

export const timeText = (atMs: EpochMs): string => new Date(atMs).toISOString()
