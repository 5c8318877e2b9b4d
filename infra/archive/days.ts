/** Days of knowledge time, in UTC. A file has the records that became known on one day. */
import { dayMs, type EpochMs } from '../../schemas/units.ts'
import { OperationError } from '../errors.ts'

export type Day = Readonly<{
  /** The day as text: 2026-01-31. */
  name: string
  /** The start of the day, inclusive. */
  from: EpochMs
  /** The end of the day, exclusive. */
  to: EpochMs
}>

export const dayPattern = /^\d{4}-\d{2}-\d{2}$/

export const dayAt = (atMs: EpochMs): Day => {
  const from = Math.floor(atMs / dayMs) * dayMs
  return { name: new Date(from).toISOString().slice(0, 10), from, to: from + dayMs }
}

/** Fails with `config_invalid` if the text is not a day, or if the day is not over. */
export function finishedDay(text: string, nowMs: EpochMs): Day {
  const atMs = dayPattern.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(atMs) || dayAt(atMs).name !== text)
    throw new OperationError('config_invalid', `"${text}" is not a day. Write --day 2026-01-31, a day in UTC`)
  const day = dayAt(atMs)
  if (day.to > nowMs)
    throw new OperationError(
      'config_invalid',
      `the day ${text} is not over in UTC. The last finished day is ${dayAt(nowMs - dayMs).name}`,
    )
  return day
}
