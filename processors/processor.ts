/**
 * A processor is a value: the state that it keeps for one token, and functions that change this state and emit records. It
 * uses no clock, randomness, environment or I/O; time comes from facts, blocks and timers. Only the runtime calls it, in an
 * order that the log determines (see `runtime/walk.ts`), so equal facts give equal outputs.
 *
 * State is plain data that survives a structured clone (maps, arrays, bigints, typed arrays), because snapshots copy it.
 * Functions change it in place: a new object for each swap would cost more than the rules.
 */

import type { Block, StageTypes } from '../schemas/stage.ts'
import type { Tick } from '../schemas/tick.ts'
import type { BlockNumber, EpochMs } from '../schemas/units.ts'
import type { Markets } from './markets/markets.ts'
import type { Move } from './markets/move.ts'

export type ProcessorContext<Types extends StageTypes> = Readonly<{
  /** The token that the call is about, which is the key of its records on the log. */
  token: string
  /** The newest block with a fact of the token. */
  touchedBlock: BlockNumber
  /** Publishes a record of this token. The processors after this one get it at once, in `onDerived`. */
  emit(record: Types['derived']): void
  /** Sets a timer: `onWake` is called once block time is later than `dueAtMs`. A second timer for the same instant does nothing. */
  wakeAt(dueAtMs: EpochMs): void
  /** Requests a call of `onTick` at the end of this tick. */
  awaitTick(): void
  /** The markets of the token, kept by the fold of markets. Read-only, for processors behind the fold. */
  readonly markets: Markets
  /** Passes a move of a market to the processors behind this one, which get it at once in `onMove`. Publishes nothing. */
  move(move: Move): void
}>

/** Methods, not properties, so that one list can hold processors of any state, and the runtime those of any stage. */
export type Processor<State, Types extends StageTypes> = Readonly<{
  name: string
  /** Default 1. Raise it when the shape of the state changes: snapshots of another version are not used. */
  stateVersion?: number
  /** Called when the processor first needs a state for a token. Returns an equal state each time. */
  initialState(): State
  /**
   * The types that `onFact` gets. Default: all. Most facts are trades, so a processor that does not read trades saves most calls.
   */
  reads?: readonly Types['fact']['type'][]
  onFact?(state: State, fact: Types['fact'], context: ProcessorContext<Types>): void
  /** The types that `onDerived` gets. Default: all. */
  readsDerived?: readonly Types['derived']['type'][]
  /** Gets a record of this token that a processor before this one emitted. */
  onDerived?(state: State, record: Types['derived'], context: ProcessorContext<Types>): void
  /** Called at the end of each block with a fact of this token that the processor reads. Rules over whole blocks belong here. */
  onBlockEnd?(state: State, block: Block, context: ProcessorContext<Types>): void
  onWake?(state: State, dueAtMs: EpochMs, context: ProcessorContext<Types>): void
  onAnswer?(state: State, answer: Types['answer'], context: ProcessorContext<Types>): void
  /**
   * Called at the end of a tick, after its answers, for tokens that called `awaitTick`. The tick says when the service knew the
   * facts that it closes. A rule that uses this time depends on how the log was cut into ticks: only the paper desk does.
   */
  onTick?(state: State, tick: Tick, context: ProcessorContext<Types>): void
  /** The moves that `onMove` gets. Default: all. */
  readsMoves?: readonly Move['type'][]
  /** Gets a move of a market of this token from the fold. */
  onMove?(state: State, move: Move, context: ProcessorContext<Types>): void
  /** Only the fold of markets implements this. Processors behind it read the result as `context.markets`. */
  markets?(state: State): Markets
  /** True if the state holds nothing. The runtime forgets a token when this is true for all processors. */
  isEmpty(state: State): boolean
}>

export type StageProcessor<Types extends StageTypes> = Processor<unknown, Types>

/** A processor of any state and stage, as tasks hold it. */
export type AnyProcessor = StageProcessor<StageTypes>
