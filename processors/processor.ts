/**
 * A processor is a value, not a program: what it remembers of one token, and what it does when something of that token
 * happens. No clock, chance, environment or I/O; time comes in with facts, blocks and timers.
 * The runtime alone calls it, in an order that the log fixes (see `runtime/walk.ts`), so equal facts give equal outputs.
 *
 * State is plain data that survives a structured clone (maps, arrays, bigints, typed arrays): snapshots copy it.
 * Functions change it in place; a new object for each swap would cost more than the rule.
 */

import type { ChainADerived } from '../schemas/chain-a/derived.ts'
import type { ChainAAnswer, ChainAFact } from '../schemas/chain-a/facts.ts'

export type Block = Readonly<{
  number: number
  hash: `0x${string}`
  atMs: number
}>

export type ProcessorContext = Readonly<{
  /** The token that all of this is about, lower case. */
  token: `0x${string}`
  /** The newest block so far that holds a fact of the token. */
  touchedBlock: number
  /** Publishes a record of this token. The processors behind this one in the topology see it at once, in `onDerived`. */
  emit(record: ChainADerived): void
  /** Asks for `onWake` once block time has passed `dueAtMs` (strictly). Asking twice for one instant is asking once. */
  wakeAt(dueAtMs: number): void
}>

export type Processor<State = unknown> = Readonly<{
  name: string
  /** Raised (from 1) when the shape of the state changes: snapshots of another version are not used. */
  stateVersion?: number
  /** Made when the processor first has something to do with a token; the same each time. */
  initialState(): State
  /** The facts that `onFact` is for; all of them when left out. Nearly all facts are swaps: who needs none is not called. */
  reads?: readonly ChainAFact['type'][]
  onFact?(state: State, fact: ChainAFact, context: ProcessorContext): void
  /** A record of this token that a processor before this one emitted. */
  onDerived?(state: State, record: ChainADerived, context: ProcessorContext): void
  /** The end of a block that held a fact of this token that the processor reads: where rules over whole blocks are judged. */
  onBlockEnd?(state: State, block: Block, context: ProcessorContext): void
  onWake?(state: State, dueAtMs: number, context: ProcessorContext): void
  onAnswer?(state: State, answer: ChainAAnswer, context: ProcessorContext): void
  /** Nothing left to remember: when all processors say so, the runtime forgets the token. */
  isEmpty(state: State): boolean
}>
