/** The delay of free data, in minutes. Newer data is sold. */

import type { Cuts, StageCut } from '../../projections/cuts.ts'
import type { Stage } from '../../schemas/stage.ts'
import { type DurationMs, type EpochMs, minuteMs } from '../../schemas/units.ts'
import type { Answers } from '../sale/answers.ts'

export const delayedMin = 15 as const

/** `delayMs`: the delay, by default `delayedMin` minutes. */
type Clock = Readonly<{ nowMs: () => EpochMs; delayMs?: DurationMs }>

/**
 * Returns a function that calls `ask` once per interval of `gridMs` and shares the answer with all clients.
 * `atMs`: the time `delayMs` ago, rounded down to the interval.
 */
export function onceDelayed<Answer>(
  gridMs: DurationMs,
  ask: (atMs: EpochMs) => Promise<Answer>,
  { nowMs, delayMs = delayedMin * minuteMs }: Clock,
): () => Promise<Answer> {
  let known: Readonly<{ atMs: EpochMs; answer: Promise<Answer> }> | null = null
  return () => {
    const atMs = Math.floor((nowMs() - delayMs) / gridMs) * gridMs
    if (known?.atMs === atMs) return known.answer
    const entry = { atMs, answer: ask(atMs) }
    known = entry
    // A failure is not cached, so the next request calls `ask` again.
    entry.answer.catch(() => {
      if (known === entry) known = null
    })
    return entry.answer
  }
}

type Known = Readonly<{ answers: Pick<Answers, 'newestCut'>; cuts: Pick<Cuts, 'at'> }>

/**
 * Returns the state of the stage's data at `atMs`. If the newest state is older, returns the newest state.
 * Returns null if there is no data.
 */
export async function delayedCut(stage: Stage, atMs: EpochMs, { answers, cuts }: Known): Promise<StageCut | null> {
  const newest = await answers.newestCut([stage])
  if (newest === null) return null
  const cut = newest.atMs <= atMs ? newest : await cuts.at(atMs, [stage])
  return cut?.stages[stage.name] ?? null
}
