/** Formats numbers of rules for the sentences in API answers. */
import { type DurationMs, hourMs, minuteMs } from './units.ts'

export const seconds = (ms: DurationMs): string => `${ms / 1000} s`
export const minutes = (ms: DurationMs): string => `${ms / minuteMs} min`
export const hours = (ms: DurationMs): string => `${ms / hourMs} h`
/** Joins alternatives, for example to `main, refire or old`. */
export const either = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
/** Converts a share to percent, without rounding errors: 0.8 becomes 80. */
export const percent = (share: number): number => Number((share * 100).toFixed(6))
/** Formats a ratio as a change in percent: 0.85 becomes -15, and 1.35 becomes +35. */
export const change = (ratio: number): string => {
  const by = percent(ratio - 1)
  return by > 0 ? `+${by}` : `${by}`
}
