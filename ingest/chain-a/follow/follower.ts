import type { Logger } from '../../../infra/telemetry.ts'
import type { Hex } from '../../../schemas/units.ts'
import type { Delay } from '../../delay.ts'
import type { KnownChain } from '../../source.ts'
import type { Launchpad } from '../launchpads/launchpad.ts'
import type { Node } from '../node/node.ts'
import type { ChainAContracts } from '../presets.ts'
import type { CurveReader } from './curve-reader.ts'

/** What reading a chain needs all along. */
export type Follower = Readonly<{
  node: Node
  contracts: ChainAContracts
  launchpads: readonly Launchpad[]
  curves: CurveReader
  /** Blocks to stay behind the head, where they are replaced most. */
  lagBlocks: number
  /** The most blocks in one range. */
  logRangeMax: number
  /** How many blocks back a branch may begin that replaces what was read. */
  reorgBlocksMax: number
  /** Recent blocks are read once more when this many others were read behind them. 0: never. */
  recheckBlocks: number
  backfillMs: number
  pollMs: number
  logger: Logger
  delay: Delay
  signal: AbortSignal
  known: KnownChain
}>

/** The last block that is done with. `hash` null: nothing was read yet, so nothing has to follow it. */
export type LastBlock = Readonly<{ number: number; hash: Hex | null }>
