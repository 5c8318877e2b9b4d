/** Checks against the wall clock whether the data is fresh enough to be sold. */
import type { Cut, StageCut } from '../../projections/cuts.ts'
import type { DurationMs, EpochMs } from '../../schemas/units.ts'
import { type AnsweredRoute, type RequiredSource, stageCutOf } from '../route.ts'
import { type Refusal, refuse } from './refusals.ts'

/**
 * Returns the age of the newest complete block. If the block's time is later than `atMs`, returns the age of
 * `atMs`.
 */
export const dataAgeMs = ({ atMs, blockAtMs }: Pick<StageCut, 'atMs' | 'blockAtMs'>, nowMs: EpochMs): DurationMs =>
  Math.max(0, nowMs - Math.min(atMs, blockAtMs))

/**
 * Returns null if the data of every source is fresh enough for the route, and otherwise the refusal. Data
 * whose age equals the limit is fresh enough.
 */
export function judgeFreshness(dependencies: readonly RequiredSource[], cut: Cut, nowMs: EpochMs): Refusal | null {
  for (const { stage, newest, maxAgeMs } of dependencies) {
    const ageMs = dataAgeMs(stageCutOf(cut, stage), nowMs)
    if (ageMs > maxAgeMs)
      return refuse(
        'data_stale',
        `${newest} is ${Math.round(ageMs / 1000)} s old, and the limit of this route is ${maxAgeMs / 1000} s. Nothing was charged. Try again in some seconds`,
        10,
      )
  }
  return null
}

/**
 * Returns the refusal of an hourly route whose answer is too old at `atMs`. Returns null if the answer is recent enough, or if the route is
 * not hourly.
 */
export async function judgeEdition(
  { dependsOn, coveredUntil }: Pick<AnsweredRoute, 'dependsOn' | 'coveredUntil'>,
  cut: Cut,
  atMs: EpochMs,
): Promise<Refusal | null> {
  const coveredUntilMs = (await coveredUntil?.(cut)) ?? null
  if (coveredUntilMs === null) return null
  const [ageMs, maxAgeMs] = [atMs - coveredUntilMs, Math.min(...dependsOn.map((each) => each.maxAgeMs))]
  if (ageMs <= maxAgeMs) return null
  return refuse(
    'data_stale',
    `the data of the newest answer is complete up to ${Math.round(ageMs / 1000)} s ago, and the limit of this route is ${maxAgeMs / 1000} s. The service builds a new answer after it has caught up. Nothing was charged. Try again in a minute`,
    60,
  )
}
