/**
 * A processor has a state for one token, and functions that change this state and emit records. It uses no
 * clock, randomness, environment or I/O. Time comes from facts, blocks and timers. Only the runtime calls a
 * processor, in an order that the log determines (see `runtime/walk.ts`). So equal facts give equal outputs.
 *
 * State is plain data (maps, arrays, bigints, typed arrays), because snapshots make a structured clone of it.
 * Functions change the state in place. A new object at each swap would take more time than the rules
 * themselves.
 */

import type { Block, StageTypes } from '../schemas/stage.ts'
import type { Tick } from '../schemas/tick.ts'
import type { BlockNumber, EpochMs } from '../schemas/units.ts'
import type { Markets } from './markets/markets.ts'
import type { Move } from './markets/move.ts'

export type ProcessorContext<Types extends StageTypes> = Readonly<{
  /** The token for which the processor is called. It is the key of the token's records in the log. */
  token: string
  /** The newest block with a fact of the token. */
  touchedBlock: BlockNumber
  /** Publishes a record of this token. Later processors of the stage get the record at once, in `onDerived`. */
  emit(record: Types['derived']): void
  /** Sets a timer: the runtime calls `onWake` when block time is later than `dueAtMs`. A second timer for the same instant does nothing. */
  wakeAt(dueAtMs: EpochMs): void
  /** Requests a call of `onTick` at the end of this tick. */
  awaitTick(): void
  /** The markets of the token. Only the markets processor may change them. Later processors may read them. */
  readonly markets: Markets
  /** Passes a move of a market to later processors of the stage, which handle it at once in `onMove`. Publishes nothing. */
  move(move: Move): void
}>

/**
 * The functions are methods, because TypeScript compares the parameters of methods loosely. One list can then have processors with
 * different states, and the runtime can run processors of any stage.
 */
export type Processor<State, Types extends StageTypes> = Readonly<{
  name: string
  /** The version of the state's shape. A task restores only snapshots of the same version. Default 1. */
  stateVersion?: number
  /** Called when the processor first needs a state for a token. Returns an equal state each time. */
  initialState(): State
  /**
   * The types of facts for `onFact`. Default: all types. Most facts are trades, so the runtime rarely calls a processor that does not list
   * trades.
   */
  reads?: readonly Types['fact']['type'][]
  onFact?(state: State, fact: Types['fact'], context: ProcessorContext<Types>): void
  /** The types of derived records for `onDerived`. Default: all types. */
  readsDerived?: readonly Types['derived']['type'][]
  /** Handles a record of this token from an earlier processor. */
  onDerived?(state: State, record: Types['derived'], context: ProcessorContext<Types>): void
  /** Called at the end of each block with a fact of this token that the processor reads. Rules about whole blocks belong here. */
  onBlockEnd?(state: State, block: Block, context: ProcessorContext<Types>): void
  /**
   * True if timers call the processor for quiet tokens too. The states of this processor are then never
   * packed (see `runtime/token-states.ts`).
   */
  isOftenWoken?: boolean
  onWake?(state: State, dueAtMs: EpochMs, context: ProcessorContext<Types>): void
  onAnswer?(state: State, answer: Types['answer'], context: ProcessorContext<Types>): void
  /**
   * Called at the end of a tick, after its answers, if the processor called `awaitTick` for this token. The tick shows when the service
   * knew the facts before it. A rule that uses this time depends on how facts are divided into ticks. Only the paper desk has such rules.
   */
  onTick?(state: State, tick: Tick, context: ProcessorContext<Types>): void
  /** The types of moves for `onMove`. Default: all types. */
  readsMoves?: readonly Move['type'][]
  /** Handles a move of a market of this token. */
  onMove?(state: State, move: Move, context: ProcessorContext<Types>): void
  /**
   * Only the markets processor implements this function. Later processors read the result as
   * `context.markets`.
   */
  markets?(state: State): Markets
  /** Returns whether the state is empty. The runtime deletes a token’s states when they are empty in all processors. */
  isEmpty(state: State): boolean
}>

export type StageProcessor<Types extends StageTypes> = Processor<unknown, Types>

/** A processor with any state, of any stage. Tasks use this type. */
export type AnyProcessor = StageProcessor<StageTypes>
