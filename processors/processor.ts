/**
 * A processor has a state for one token, and functions that change this state and emit records. It uses no
 * clock, randomness, environment or I/O. It gets the time from facts, blocks and timers. Only the runtime
 * calls a processor, in an order that the log determines (see `runtime/walk.ts`). So equal facts give equal
 * outputs.
 *
 * A state is plain data (maps, arrays, bigints, typed arrays), because a snapshot is a structured clone of
 * it. Functions change the state in place. A new object at each swap would take more time than the rules
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
  /**
   * The time of the newest block or tick of the partition before the current one. All timers that are due before it were
   * called. In `onWake`, it is later than `dueAtMs` only if the timer was set too late. If the timer is in time, this
   * value depends on other tokens. So compare it with `dueAtMs`, and use it for nothing else.
   */
  processedUntilMs: EpochMs
  /** Publishes a record of this token. Later processors of the stage get the record at once, in `onDerived`. */
  emit(record: Types['derived']): void
  /**
   * Sets a timer: the runtime calls `onWake` with the first block later than `dueAtMs`. Another timer of the
   * processor for the same time does nothing.
   */
  wakeAt(dueAtMs: EpochMs): void
  /** Requests a call of `onTick` at the end of this tick (the record in the log that closes a time step). */
  awaitTick(): void
  /** The markets of the token. Only the processor `markets` may change them. Later processors may read them. */
  readonly markets: Markets
  /**
   * Passes a change of a market to later processors of the stage, which handle it at once in `onMove`. It is
   * not written to the log.
   */
  move(move: Move): void
}>

/**
 * The functions are declared as methods, because TypeScript compares the parameters of methods less strictly.
 * So one list can have processors with different states, and the runtime can run processors of any stage.
 */
export type Processor<State, Types extends StageTypes> = Readonly<{
  name: string
  /** The version of the state's structure. Only snapshots with the same version are restored. Default: 1. */
  stateVersion?: number
  /** Creates the state for a token. Must return an equal state each time. */
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
  /**
   * Called at the end of each block with a fact of this token that the processor reads. For rules that depend
   * on a whole block.
   */
  onBlockEnd?(state: State, block: Block, context: ProcessorContext<Types>): void
  /**
   * Whether timers often call the processor for tokens without new facts too. Its state of a token is then not packed to
   * save memory (see `runtime/token-states.ts`) as long as a timer is set.
   */
  isOftenWoken?: boolean
  onWake?(state: State, dueAtMs: EpochMs, context: ProcessorContext<Types>): void
  onAnswer?(state: State, answer: Types['answer'], context: ProcessorContext<Types>): void
  /**
   * Called at the end of a tick (the record that closes a time step), if the processor called `awaitTick` for
   * this token. Results of lookups in the tick are handled before. The tick shows when the service recorded
   * the facts before it. A rule that uses this time depends on how facts are divided into ticks. Only the
   * paper desk has such rules.
   */
  onTick?(state: State, tick: Tick, context: ProcessorContext<Types>): void
  /** The types of market changes for `onMove`. Default: all types. */
  readsMoves?: readonly Move['type'][]
  /** Handles a change of a market of this token. */
  onMove?(state: State, move: Move, context: ProcessorContext<Types>): void
  /**
   * Returns the markets of the token. Only the processor `markets` has this function. Later processors read
   * the result as `context.markets`.
   */
  markets?(state: State): Markets
  /**
   * Deletes what no rule reads after `atMs`, such as trades that have left a window. The runtime calls it for
   * tokens without new facts, at times that the log does not determine. So it must not change any output.
   */
  trim?(state: State, atMs: EpochMs): void
  /**
   * Returns whether the state contains nothing. If the processor then has no timer for the token, the state must be equal
   * to a new one, and the runtime may delete it.
   */
  isEmpty(state: State): boolean
}>

export type StageProcessor<Types extends StageTypes> = Processor<unknown, Types>

/** A processor with any state, of any stage. */
export type AnyProcessor = StageProcessor<StageTypes>
