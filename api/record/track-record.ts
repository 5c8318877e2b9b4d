/**
 * The service's reports about its own work on a chain or the chats: which data it observed, and which records
 * it corrected.
 */
import type { Corrections } from '../../projections/corrections.ts'
import type { Covered } from '../../projections/coverage.ts'
import type { StageCut } from '../../projections/cuts.ts'
import type { EpochMs } from '../../schemas/units.ts'

export type TrackRecord = Readonly<{
  covered(cut: StageCut): Promise<Covered>
  /** Null if the published rows of the source are never corrected. */
  corrections: Corrections | null
}>

/** A future version of the rules of a stage, which an operator has announced. `fromMs`: when it starts. */
export type AnnouncedRules = Readonly<{ stage: string; version: string; fromMs: EpochMs }>
