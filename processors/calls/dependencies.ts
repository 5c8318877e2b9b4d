/** The parts that a chain provides to the processor of calls. */
import type { CallScored } from '../../schemas/calls/derived.ts'
import type { CallAnswer, Mentioned } from '../../schemas/calls/facts.ts'
import type { StageRecord, StageTypes } from '../../schemas/stage.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { Markets } from '../markets/markets.ts'
import type { WatchRecord } from './watch.ts'

/** The records that the processor emits on every chain. */
export type CallsRecord = WatchRecord | Readonly<{ type: 'CallScored'; data: CallScored }>

/** The types of a stage that has mentions and prices on its fact topic, and calls among its derived records. */
export type CallsTypes = StageTypes & Readonly<{ answer: CallAnswer | StageRecord }>

export type CallsDependencies<Precalls, Types extends CallsTypes> = Readonly<{
  burstTypes: readonly Types['derived']['type'][]
  /** Returns the burst of a record of these types. */
  burstOf(record: Types['derived']): Burst
  /** The functions that describe the time before the first post of a call. Null: the chain has no precalls. */
  precalling: Precalling<Precalls, Types> | null
  /** Whether the liquidity of a market of the chain can be pulled. */
  canBePulled: boolean
}>

export type Burst = Readonly<{ tier: string; atMs: EpochMs }>

/**
 * The first post about a token, which starts the observation of the token. Block time is already later than
 * the post.
 */
type Called = Readonly<{ token: string; mention: Mentioned; markets: Markets }>

/**
 * Functions that process a token before and at its first post. They change the state in place. `onCall` and
 * `onAnswer` return the records to emit.
 */
export type Precalling<State, Types extends StageTypes> = Readonly<{
  initialState(): State
  /** Processes a fact that set a price and returns the state. Null: the token needs no state yet. */
  onTrade(state: State | null, fact: StageRecord): State | null
  onCall(state: State, called: Called): readonly Types['derived'][]
  onAnswer(state: State, answer: Types['answer']): readonly Types['derived'][]
  /** Deletes the parts of the state that are too old at `atMs`. */
  prune(state: State, atMs: EpochMs): void
  isEmpty(state: State): boolean
}>
