import type { Logger } from '../../../infra/telemetry.ts'
import type { BlockHash, DurationMs, EpochMs } from '../../../schemas/units.ts'
import type { Delay } from '../../delay.ts'
import type { Launchpad } from '../launchpads/launchpad.ts'
import type { Node } from '../node/node.ts'
import type { Heads } from '../node/socket/heads.ts'
import type { ChainAContracts } from '../presets.ts'
import type { KnownChainA } from '../types.ts'
import type { CurveReader } from './curve-reader.ts'

/** The settings and state of one run of ingest over the chain. */
export type FollowDependencies = Readonly<{
  node: Node
  /** The announcements of new blocks. Null if no node announces blocks. Blocks are then only polled. */
  heads: Heads | null
  contracts: ChainAContracts
  launchpads: readonly Launchpad[]
  curves: CurveReader
  /** The number of blocks that ingest stays behind the head. Most reorgs change only the newest blocks. */
  lagBlocks: number
  /** The maximum size of a range, in blocks. */
  logRangeMax: number
  /** The deepest supported reorg. */
  reorgBlocksMax: number
  /** Each recent block is read again after this number of later blocks. 0 turns off the second reading. */
  recheckBlocks: number
  backfillMs: DurationMs
  pollMs: DurationMs
  /**
   * The minimum time between two reads of the newest block that are caused by announcements, in milliseconds.
   */
  lookGapMs: DurationMs
  logger: Logger
  nowMs: () => EpochMs
  delay: Delay
  signal: AbortSignal
  known: KnownChainA
}>

/** The last block that was read. If no block was read yet, `hash` is null and any block may follow. */
export type LastBlock = Readonly<{ number: number; hash: BlockHash | null; atMs: EpochMs }>
