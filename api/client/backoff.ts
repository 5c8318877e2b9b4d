import type { DurationMs } from '../../schemas/units.ts'

/** The time and the chance that the client uses. Tests replace them. */
export type World = Readonly<{
  nowMs: () => number
  /** Resolves after the duration, or when the signal aborts. */
  sleep: (durationMs: DurationMs, signal: AbortSignal) => Promise<void>
  /** A random number from 0 to 1. */
  random: () => number
}>

type Pause = Readonly<{ baseMs: DurationMs; maxMs: DurationMs; turn: number; atLeastMs?: DurationMs | null }>

/**
 * The pause before the next try. It doubles with each turn, and up to half of it is added at random, so that many
 * clients do not come back together. `atLeastMs`: what the service asks for.
 */
export function pauseMs({ baseMs, maxMs, turn, atLeastMs }: Pause, random: () => number): DurationMs {
  const grownMs = Math.max(baseMs * 2 ** Math.min(turn, 30), atLeastMs ?? 0)
  return Math.round(Math.min(grownMs, maxMs) * (1 + random() / 2))
}
