/**
 * A processor is a value, not a program: what it remembers of one token, and what it does when something of that token
 * happens. No clock, chance, environment or I/O; time comes in with facts, blocks and timers.
 * The runtime alone calls it, in an order that the log fixes (see `runtime/walk.ts`), so equal facts give equal outputs.
 *
 * State is plain data that survives a structured clone (maps, arrays, bigints, typed arrays): snapshots copy it.
 * Functions change it in place; a new object for each swap would cost more than the rule.
 */

import type { Block, StageTypes } from '../schemas/stage.ts'

export type ProcessorContext<Types extends StageTypes> = Readonly<{
  /** The key of the log that all of this is about: a token. */
  token: string
  /** The newest block so far that holds a fact of the token. */
  touchedBlock: number
  /** Publishes a record of this token. The processors behind this one in the topology see it at once, in `onDerived`. */
  emit(record: Types['derived']): void
  /** Asks for `onWake` once block time has passed `dueAtMs` (strictly). Asking twice for one instant is asking once. */
  wakeAt(dueAtMs: number): void
}>

/** Methods, not properties: a list holds processors of any state, and the runtime runs those of any stage. */
export type Processor<State, Types extends StageTypes> = Readonly<{
  name: string
  /** Raised (from 1) when the shape of the state changes: snapshots of another version are not used. */
  stateVersion?: number
  /** Made when the processor first has something to do with a token; the same each time. */
  initialState(): State
  /** The facts that `onFact` is for; all of them when left out. Most facts are trades: a processor without a use for them is not called. */
  reads?: readonly Types['fact']['type'][]
  onFact?(state: State, fact: Types['fact'], context: ProcessorContext<Types>): void
  /** A record of this token that a processor before this one emitted. */
  onDerived?(state: State, record: Types['derived'], context: ProcessorContext<Types>): void
  /** The end of a block that held a fact of this token that the processor reads: where rules over whole blocks are judged. */
  onBlockEnd?(state: State, block: Block, context: ProcessorContext<Types>): void
  onWake?(state: State, dueAtMs: number, context: ProcessorContext<Types>): void
  onAnswer?(state: State, answer: Types['answer'], context: ProcessorContext<Types>): void
  /** Nothing left to remember: when all processors say so, the runtime forgets the token. */
  isEmpty(state: State): boolean
}>

/** One of any state. */
export type StageProcessor<Types extends StageTypes> = Processor<unknown, Types>

/** One of any state and stage, as the runtime holds it. */
export type AnyProcessor = StageProcessor<StageTypes>
