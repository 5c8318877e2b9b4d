import type { Logger } from '../../../infra/telemetry.ts'
import type { Hex } from '../../../schemas/units.ts'
import type { Delay } from '../../delay.ts'
import type { Launchpad } from '../launchpads/launchpad.ts'
import type { Node } from '../node/node.ts'
import type { Heads } from '../node/socket/heads.ts'
import type { ChainAContracts } from '../presets.ts'
import type { KnownChainA } from '../types.ts'
import type { CurveReader } from './curve-reader.ts'

/** The settings and state of one run over the chain. */
export type Follower = Readonly<{
  node: Node
  /** Null: nothing announces blocks, so they are polled only. */
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
  /** Recent blocks are read a second time once this many later ones were read. 0: never. */
  recheckBlocks: number
  backfillMs: number
  pollMs: number
  /** However often blocks are announced, no two looks are closer than this. */
  lookGapMs: number
  logger: Logger
  nowMs: () => number
  delay: Delay
  signal: AbortSignal
  known: KnownChainA
}>

/** The last block that was read. `hash` null: nothing was read yet, so any block may follow. */
export type LastBlock = Readonly<{ number: number; hash: Hex | null; atMs: number }>
