import type { Logger } from '../../../infra/telemetry.ts'
import type { DurationMs, EpochMs } from '../../../schemas/units.ts'
import type { Delay } from '../../delay.ts'
import type { KnownChain } from '../../source.ts'
import type { ChainBReader } from '../node/reader.ts'
import type { KnownMints } from '../types.ts'
import type { CurveFinder } from './find-curves.ts'
import type { ReserveMemory } from './reserve-memory.ts'
import type { SlotReader } from './slot-reader.ts'

/** What one run of ingest needs to follow the chain. */
export type FollowDependencies = Readonly<{
  reader: ChainBReader
  slots: SlotReader
  findCurves: CurveFinder
  /** The number of slots before the newest slot at which ingest begins if nothing is recorded yet. */
  lookBackSlots: number
  /** The deepest supported reorg, in slots. */
  reorgSlotsMax: number
  pollMs: DurationMs
  logger: Logger
  nowMs: () => EpochMs
  delay: Delay
  signal: AbortSignal
  known: KnownChain<KnownMints>
  /**
   * The reserves of the curves after the last recorded range of slots. Default: the reserves of all curves
   * are unknown.
   */
  reserves?: ReserveMemory
}>
