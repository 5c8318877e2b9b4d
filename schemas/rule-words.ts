/** Numbers of rules in the words of answers. */
import { type DurationMs, hourMs, minuteMs } from './units.ts'

export const seconds = (ms: DurationMs): string => `${ms / 1000} s`
export const minutes = (ms: DurationMs): string => `${ms / minuteMs} min`
export const hours = (ms: DurationMs): string => `${ms / hourMs} h`
/** Writes a share in percent, without noise of the double: 0.8 is 80. */
export const percent = (share: number): number => Number((share * 100).toFixed(6))
/** Writes a ratio as a change in percent: 0.85 is -15, 1.35 is +35. */
export const change = (ratio: number): string => {
  const by = percent(ratio - 1)
  return by > 0 ? `+${by}` : `${by}`
}
