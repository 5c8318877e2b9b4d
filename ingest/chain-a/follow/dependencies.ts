import type { Logger } from '../../../infra/telemetry.ts'
import type { BlockHash, DurationMs, EpochMs } from '../../../schemas/units.ts'
import type { Delay } from '../../delay.ts'
import type { Launchpad } from '../launchpads/launchpad.ts'
import type { Node } from '../node/node.ts'
import type { Heads } from '../node/socket/heads.ts'
import type { ChainAContracts } from '../presets.ts'
import type { KnownChainA } from '../types.ts'
import type { CurveReader } from './curve-reader.ts'

/** The settings and state of one run over the chain. */
export type FollowDependencies = Readonly<{
  node: Node
  /** Null if nothing announces blocks, so that they are only polled. */
  heads: Heads | null
  contracts: ChainAContracts
  launchpads: readonly Launchpad[]
  curves: CurveReader
  /** Blocks to stay behind the head, where most reorgs happen. */
  lagBlocks: number
  /** The largest range, in blocks. */
  logRangeMax: number
  /** The deepest supported reorg. */
  reorgBlocksMax: number
  /** Each recent block is read a second time after this many later blocks. 0 turns this off. */
  recheckBlocks: number
  backfillMs: DurationMs
  pollMs: DurationMs
  /** The minimum time between two looks, however often blocks are announced. */
  lookGapMs: DurationMs
  logger: Logger
  nowMs: () => EpochMs
  delay: Delay
  signal: AbortSignal
  known: KnownChainA
}>

/** The last block that was read. `hash` is null if nothing was read yet, so that any block may follow. */
export type LastBlock = Readonly<{ number: number; hash: BlockHash | null; atMs: EpochMs }>
