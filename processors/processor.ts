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
import type { Markets } from './markets/markets.ts'
import type { Move } from './markets/move.ts'

export type ProcessorContext<Types extends StageTypes> = Readonly<{
  /** The token that the call is about: the key of its records on the log. */
  token: string
  /** The newest block so far with a fact of the token. */
  touchedBlock: number
  /** Publishes a record of this token. The processors after this one get it at once, in `onDerived`. */
  emit(record: Types['derived']): void
  /** Sets a timer: `onWake` is called once block time is later than `dueAtMs`. A second timer for the same instant does nothing. */
  wakeAt(dueAtMs: number): void
  /** Asks for a call of `onTick` at the end of this tick. */
  awaitTick(): void
  /** Where the token trades, as the fold of markets has it. Read-only, for processors behind it. */
  readonly markets: Markets
  /** Tells a move of a market. The processors behind this one get it at once, in `onMove`. Nothing is published. */
  move(move: Move): void
}>

/** Methods, not properties: so a list can hold processors of any state, and the runtime those of any stage. */
export type Processor<State, Types extends StageTypes> = Readonly<{
  name: string
  /** Default 1. Raise it when the shape of the state changes: snapshots of another version are not used. */
  stateVersion?: number
  /** Called when the processor first needs a state for a token. Returns an equal state each time. */
  initialState(): State
  /** The types that `onFact` gets; all if left out. Most facts are trades, and a processor that does not read them is not called. */
  reads?: readonly Types['fact']['type'][]
  onFact?(state: State, fact: Types['fact'], context: ProcessorContext<Types>): void
  /** The types that `onDerived` gets; all if left out. */
  readsDerived?: readonly Types['derived']['type'][]
  /** Gets a record of this token that a processor before this one emitted. */
  onDerived?(state: State, record: Types['derived'], context: ProcessorContext<Types>): void
  /** Called at the end of each block with a fact of this token that the processor reads. Rules over whole blocks belong here. */
  onBlockEnd?(state: State, block: Block, context: ProcessorContext<Types>): void
  onWake?(state: State, dueAtMs: number, context: ProcessorContext<Types>): void
  onAnswer?(state: State, answer: Types['answer'], context: ProcessorContext<Types>): void
  /**
   * Called at the end of a tick, after its answers, for tokens that a call of `awaitTick` asked for. The tick says when the
   * service knew what it closes. A rule that reads it depends on how the log was cut: only the paper desk does.
   */
  onTick?(state: State, tick: Tick, context: ProcessorContext<Types>): void
  /** The moves that `onMove` gets; all if left out. */
  readsMoves?: readonly Move['type'][]
  /** Gets a move of a market of this token that the fold told. */
  onMove?(state: State, move: Move, context: ProcessorContext<Types>): void
  /** Only the fold of markets has it: what processors behind it read as `context.markets`. */
  markets?(state: State): Markets
  /** True if there is nothing to remember. The runtime forgets a token when this holds for all processors. */
  isEmpty(state: State): boolean
}>

/** A processor of any state. */
export type StageProcessor<Types extends StageTypes> = Processor<unknown, Types>

/** A processor of any state and stage, as tasks hold it. */
export type AnyProcessor = StageProcessor<StageTypes>
